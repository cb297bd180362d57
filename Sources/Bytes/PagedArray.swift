/// A growing array stored in pages. Copies share the pages that neither has changed since. Appending to a copy of a
/// long array costs the changed pages and one pointer per page.
public struct PagedArray<Element: Sendable>: Sendable {
    @usableFromInline var pages: [[Element]] = []
    public private(set) var count = 0

    /// Elements per page, as a power of two.
    @usableFromInline static var shift: Int { 6 }
    @usableFromInline static var mask: Int { 1 << shift - 1 }

    public init() {}

    public mutating func append(_ element: Element) {
        if count & Self.mask == 0 { pages.append([]) }
        pages[pages.count - 1].append(element)
        count += 1
    }

    /// Approximate bytes that it takes in addition to `other`. It may be a copy of `other` that has grown since.
    public func footprint(beside other: Self) -> Int {
        let changed = pages.indices.count { page in
            page >= other.pages.count || !Self.areOne(pages[page], other.pages[page])
        }
        return pages.count * MemoryLayout<[Element]>.stride
            + changed * MemoryLayout<Element>.stride << Self.shift
    }

    /// Whether two pages share memory.
    private static func areOne(_ page: [Element], _ other: [Element]) -> Bool {
        unsafe page.withUnsafeBufferPointer { page in
            unsafe other.withUnsafeBufferPointer { unsafe page.baseAddress == $0.baseAddress }
        }
    }
}

extension PagedArray: RandomAccessCollection, MutableCollection {
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { count }

    @inlinable
    public subscript(index: Int) -> Element {
        get { pages[index >> Self.shift][index & Self.mask] }
        _modify { yield &pages[index >> Self.shift][index & Self.mask] }
    }
}
