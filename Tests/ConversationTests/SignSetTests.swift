import Dissection
import Testing

@testable import Conversation

/// Sets of signs, in a bit mask and beyond it.
@Suite struct SignSetTests {
    @Test(arguments: [[], [0], [63], [64], [3, 63, 64, 9999]] as [[UInt16]])
    func numbersAreWhatWasInserted(_ signs: [UInt16]) {
        var set = SignSet()
        for sign in signs + signs { set.insert(sign) }
        #expect(set.numbers.sorted() == signs)
        #expect(set.isEmpty == signs.isEmpty)
    }

    @Test func unionHasTheSignsOfBoth() {
        let (first, second) = (Self.set(1, 70), Self.set(2, 70, 80))
        var union = first
        union.formUnion(second)
        #expect(union.numbers.sorted() == [1, 2, 70, 80])
        #expect(union == Self.set(80, 70, 2, 1))
        #expect(union != first)
    }

    private static func set(_ signs: UInt16...) -> SignSet {
        var set = SignSet()
        for sign in signs { set.insert(sign) }
        return set
    }
}
