import Bytes
import Testing

struct FIFOTests {
    @Test func elementsLeaveInTheOrderInWhichTheyCame() {
        var queue = FIFO<Int>()
        var next = 0
        var taken: [Int] = []
        // The queue is emptied, refilled, and grows long enough to move its elements.
        for (added, removed) in [(3, 3), (2, 1), (1, 2), (200, 150), (100, 150), (1, 0)] {
            for _ in 0..<added {
                queue.append(next)
                next += 1
            }
            for _ in 0..<removed { taken += [queue.popFirst()].compactMap(\.self) }
            #expect(queue.count == next - taken.count)
            #expect(queue.isEmpty == (next == taken.count))
            #expect(queue.first == (queue.isEmpty ? nil : taken.count))
        }
        #expect(taken == Array(0..<306))
    }

    @Test func nothingLeavesAnEmptyQueue() {
        var queue = FIFO<Int>()
        #expect(queue.popFirst() == nil)
        queue.append(1)
        #expect(queue.popFirst() == 1)
        #expect(queue.popFirst() == nil)
    }
}
