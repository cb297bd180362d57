/// A first-in, first-out queue with amortized constant time.
public struct FIFO<Element: Sendable>: Sendable {
    @usableFromInline var elements: [Element] = []
    /// Index of the oldest element; the elements before it have been removed.
    @usableFromInline var head = 0

    @inlinable public init() {}

    @inlinable public var count: Int { elements.count - head }
    @inlinable public var isEmpty: Bool { head == elements.count }
    @inlinable public var first: Element? { isEmpty ? nil : elements[head] }

    @inlinable
    public mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Removes and returns the oldest element; nil when empty.
    @inlinable
    @discardableResult
    public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    @inlinable
    public mutating func removeAll() {
        removeAll { _ in true }
    }

    /// Removes the elements that satisfy `isRemoved`.
    @inlinable
    public mutating func removeAll(where isRemoved: (Element) -> Bool) {
        elements.removeFirst(head)
        head = 0
        elements.removeAll(where: isRemoved)
    }
}
