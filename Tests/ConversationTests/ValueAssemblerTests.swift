import Bluetooth
import Dissection
import Testing

@testable import Conversation

struct ValueAssemblerTests {
    private func assembled(_ parts: [(bytes: [UInt8], offset: Int, handle: Handle)]) -> [UInt8]? {
        var assembler = ValueAssembler()
        for part in parts { assembler.add(part.bytes[...], at: part.offset, of: part.handle) }
        return assembler.take()?.value
    }

    @Test func partsInOrderMakeTheValue() {
        #expect(assembled([([1, 2], 0, 3), ([3, 4], 2, 3), ([5], 4, 3)]) == [1, 2, 3, 4, 5])
    }

    @Test func anEmptyLastPartAddsNothing() {
        #expect(assembled([([1, 2], 0, 3), ([], 2, 3)]) == [1, 2])
    }

    @Test func aPartThatComesAgainReplacesWhatFollows() {
        #expect(assembled([([1, 2], 0, 3), ([3, 4], 2, 3), ([9], 2, 3)]) == [1, 2, 9])
    }

    @Test func aGapMakesTheValueUnknown() {
        #expect(assembled([([1, 2], 0, 3), ([5], 4, 3)]) == nil)
        #expect(assembled([([5], 4, 3)]) == nil)
    }

    @Test func anotherAttributeBeginsAnew() {
        #expect(assembled([([1, 2], 0, 3), ([9], 0, 4)]) == [9])
    }

    @Test func aValueIsNeverLongerThanAnAttributeMayBe() {
        let most = [UInt8](repeating: 1, count: ATT.maximumValueLength)
        #expect(assembled([(most, 0, 3)])?.count == 512)
        #expect(assembled([(most, 0, 3), ([1], 512, 3)]) == nil)
    }

    @Test func takingEmptiesTheAssembler() {
        var assembler = ValueAssembler()
        assembler.add([1], at: 0, of: 3)
        #expect(assembler.take()?.handle == 3)
        #expect(assembler.take() == nil)
    }
}
