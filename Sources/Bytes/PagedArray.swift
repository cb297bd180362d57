/// An array that grows, in pages: copies share the pages that neither has changed since. A copy of a long array that goes on
/// costs the pages that change, and a pointer for each page.
public struct PagedArray<Element: Sendable>: Sendable {
    @usableFromInline var pages: [[Element]] = []
    public private(set) var count = 0

    /// Elements of a page, as a power of two.
    @usableFromInline static var shift: Int { 6 }
    @usableFromInline static var mask: Int { 1 << shift - 1 }

    public init() {}

    public mutating func append(_ element: Element) {
        if count & Self.mask == 0 { pages.append([]) }
        pages[pages.count - 1].append(element)
        count += 1
    }

    /// About how many bytes it takes beside another one, of which it may be a copy that has gone on.
    public func footprint(beside other: Self) -> Int {
        let changed = pages.indices.count { page in
            page >= other.pages.count || !Self.areOne(pages[page], other.pages[page])
        }
        return pages.count * MemoryLayout<[Element]>.stride
            + changed * MemoryLayout<Element>.stride << Self.shift
    }

    /// Whether two pages are in the same memory.
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
