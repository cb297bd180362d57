/// A set of frames, by their numbers.
package struct FrameSet: Sendable, Hashable {
    /// A bit for each number; the last word is not zero.
    private var words: [UInt64] = []
    package private(set) var count = 0

    /// The highest number that a set can have.
    package static let highestNumber = 1 << 32

    package init() {}

    package init(_ numbers: some Sequence<Int>) {
        for number in numbers { insert(number) }
    }

    package var isEmpty: Bool { count == 0 }

    package func contains(_ number: Int) -> Bool {
        let word = number >> 6
        return number >= 0 && word < words.count && words[word] & Self.bit(number) != 0
    }

    package mutating func insert(_ number: Int) {
        guard (0...Self.highestNumber).contains(number), !contains(number) else { return }
        let word = number >> 6
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= Self.bit(number)
        count += 1
    }

    package mutating func formUnion(_ other: Self) {
        for number in other.numbers { insert(number) }
    }

    /// The numbers in order.
    package var numbers: [Int] {
        var numbers: [Int] = []
        numbers.reserveCapacity(count)
        for (index, word) in words.enumerated() where word != 0 {
            var rest = word
            while rest != 0 {
                numbers.append(index << 6 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return numbers
    }

    private static func bit(_ number: Int) -> UInt64 { 1 << UInt64(number & 63) }
}
