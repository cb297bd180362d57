import Bluetooth
import Testing

@testable import Conversation

struct AdvertisingDataAssemblerTests {
    private var assembler = AdvertisingDataAssembler()
    private var reassembled: [UInt8] = []

    private static func set(_ number: Int) -> AdvertisingDataAssembler.Source {
        .command(.leSetExtendedAdvertisingData, adapter: UInt16(number / 240), handle: UInt8(number % 240))
    }

    private mutating func add(
        _ data: [UInt8], _ status: HCI.DataStatus, of set: Int, begins: Bool? = nil
    ) -> AdvertisingPart? {
        assembler.add(data[...], status, of: Self.set(set), begins: begins, to: &reassembled)
    }

    @Test mutating func dataOfOnePartAreNone() {
        #expect(add([1], .complete, of: 0) == nil)
        #expect(add([1], .moreToCome, of: 1)?.isContinuation == false)
        #expect(add([1], .complete, of: 0) == nil)
        #expect(add([1], .truncated, of: 0)?.isContinuation == false)
        #expect(add([1], .complete, of: 0) == nil)
    }

    @Test mutating func partsThatBeginAnewReplaceThoseBefore() {
        _ = add([1], .moreToCome, of: 0)
        _ = add([2], .moreToCome, of: 0, begins: true)
        #expect(add([3], .complete, of: 0)?.isComplete == true)
        #expect(reassembled == [2, 3])
        #expect(add([4], .complete, of: 0, begins: false)?.isComplete == false)
    }

    /// A Broadcast_Code, whose type is in the second part.
    @Test mutating func aKeyIsSeenAcrossParts() {
        #expect(add([2, 1, 6, 17], .moreToCome, of: 0)?.holdsKey == false)
        #expect(add([0x2D, 1, 2], .moreToCome, of: 0)?.holdsKey == true)
        #expect(add([3, 4], .complete, of: 0)?.holdsKey == true)
    }

    /// At most 1650 bytes for each advertisement, and 1024 advertisements.
    @Test mutating func memoryIsLimited() {
        for _ in 0..<20 { _ = add([UInt8](repeating: 1, count: 200), .moreToCome, of: 0) }
        #expect(add([1], .complete, of: 0)?.whole.count == 1650)
        for set in 0..<1024 { _ = add([1], .moreToCome, of: set) }
        _ = add([1], .moreToCome, of: 1024)
        #expect(add([2], .complete, of: 0) == nil)
        #expect(add([2], .complete, of: 1024)?.whole.count == 2)
    }
}
