/// An immutable table that is built once and never freed. Look-ups cause no reference counting.
@safe
public struct ConstantTable<Element: Sendable>: @unchecked Sendable {
    @usableFromInline let elements: UnsafeBufferPointer<Element>

    public init(_ elements: [Element]) {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = unsafe memory.initialize(fromContentsOf: elements)
        unsafe self.elements = UnsafeBufferPointer(memory)
    }

    /// The element at an index, which must be in range.
    @inlinable
    public subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count)
        return unsafe elements[index]
    }

    @inlinable public var count: Int { unsafe elements.count }
}
