/// First in, first out.
struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    /// Index of the next element; those before it are gone.
    private var next = 0

    var count: Int { elements.count - next }
    var isEmpty: Bool { count == 0 }

    mutating func add(_ element: Element) {
        elements.append(element)
    }

    /// Takes the element that came first; nil when there is none.
    mutating func takeNext() -> Element? {
        guard next < elements.count else { return nil }
        let element = elements[next]
        next += 1
        if next == elements.count {
            elements.removeAll(keepingCapacity: true)
            next = 0
        } else if next >= 256, next * 2 >= elements.count {
            elements.removeFirst(next)
            next = 0
        }
        return element
    }

    /// Removes the elements for which this holds.
    mutating func remove(where isRemoved: (Element) -> Bool) {
        elements.removeFirst(next)
        next = 0
        elements.removeAll(where: isRemoved)
    }
}
