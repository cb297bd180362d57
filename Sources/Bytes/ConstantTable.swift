/// A table that is built once and lives as long as the program: a look-up counts no references.
@safe
public struct ConstantTable<Element: Sendable>: @unchecked Sendable {
    @usableFromInline let elements: UnsafeBufferPointer<Element>

    public init(_ elements: [Element]) {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = unsafe memory.initialize(fromContentsOf: elements)
        unsafe self.elements = UnsafeBufferPointer(memory)
    }

    /// The element at an index, which must lie inside.
    @inlinable
    public subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count)
        return unsafe elements[index]
    }

    @inlinable public var count: Int { unsafe elements.count }
}
