import Dissection
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

struct FragmentAssemblerTests {
    private static let pdu = hex("0400 0400 1b 0800 62")

    /// Feeds fragments to an assembler; only the first is marked as a first fragment.
    private func feed(_ fragments: [[UInt8]]) -> (
        results: [FragmentAssembler.Result], bytes: [UInt8], notes: FrameMetadata.Notes
    ) {
        var assembler = FragmentAssembler()
        var reassembled: [UInt8] = []
        var notes: FrameMetadata.Notes = []
        let results = fragments.enumerated().map { index, fragment in
            assembler.add(0..<fragment.count, of: fragment, isFirst: index == 0, to: &reassembled, notes: &notes)
        }
        return (results, reassembled, notes)
    }

    @Test func aWholePDUStaysWhereItLies() {
        let (results, bytes, notes) = feed([Self.pdu])
        guard case .whole(0..<8) = results[0] else { return #expect(Bool(false), "\(results)") }
        #expect(bytes.isEmpty)
        #expect(notes.isEmpty)
    }

    @Test func aPDUInTheMiddleOfABufferIsFound() {
        var assembler = FragmentAssembler()
        var reassembled: [UInt8] = []
        var notes: FrameMetadata.Notes = []
        let buffer = [0xAA, 0xBB] + Self.pdu + [0xCC]
        let result = assembler.add(2..<10, of: buffer, isFirst: true, to: &reassembled, notes: &notes)
        guard case .whole(2..<10) = result else { return #expect(Bool(false), "\(result)") }
    }

    @Test(arguments: 1...7)
    func aPDUMayBeCutAnywhere(_ first: Int) {
        let (results, bytes, notes) = feed([Array(Self.pdu[..<first]), Array(Self.pdu[first...])])
        guard case .incomplete = results[0], case .assembled(0..<8) = results[1] else {
            return #expect(Bool(false), "\(results)")
        }
        #expect(bytes == Self.pdu)
        #expect(notes.isEmpty)
    }

    @Test func fragmentsOfOneByteAndOfNoneAreTaken() {
        let (results, bytes, _) = feed(Self.pdu.map { [$0] } + [[]])
        #expect(bytes == Self.pdu)
        guard case .assembled = results[7], case .orphan = results[8] else { return #expect(Bool(false), "\(results)") }
    }

    @Test func aPDUWithoutPayloadIsWhole() {
        let (results, _, _) = feed([hex("0000 0400")])
        guard case .whole(0..<4) = results[0] else { return #expect(Bool(false), "\(results)") }
    }

    @Test func aContinuationWithoutBeginningIsAnOrphan() {
        var assembler = FragmentAssembler()
        var reassembled: [UInt8] = []
        var notes: FrameMetadata.Notes = []
        let result = assembler.add(0..<3, of: [1, 2, 3], isFirst: false, to: &reassembled, notes: &notes)
        guard case .orphan = result else { return #expect(Bool(false), "\(result)") }
        #expect(notes == .orphan)
        #expect(!assembler.isAssembling)
    }

    @Test func aNewPDUEndsTheOneInProgress() {
        var assembler = FragmentAssembler()
        var reassembled: [UInt8] = []
        var notes: FrameMetadata.Notes = []
        _ = assembler.add(0..<5, of: Self.pdu, isFirst: true, to: &reassembled, notes: &notes)
        let result = assembler.add(0..<8, of: Self.pdu, isFirst: true, to: &reassembled, notes: &notes)
        guard case .whole = result else { return #expect(Bool(false), "\(result)") }
        #expect(notes == .unfinished)
        #expect(!assembler.isAssembling)
    }

    @Test func bytesBeyondTheLengthAreLeftOutAndNoted() {
        let (whole, _, wholeNotes) = feed([Self.pdu + [0xEE]])
        guard case .whole(0..<8) = whole[0] else { return #expect(Bool(false), "\(whole)") }
        #expect(wholeNotes == .overrun)
        let (_, bytes, notes) = feed([Array(Self.pdu[..<5]), Self.pdu[5...] + [0xEE, 0xEE]])
        #expect(bytes == Self.pdu)
        #expect(notes == .overrun)
    }

    @Test func whatWasBegunIsForgottenByAReset() {
        var assembler = FragmentAssembler()
        var reassembled: [UInt8] = []
        var notes: FrameMetadata.Notes = []
        _ = assembler.add(0..<5, of: Self.pdu, isFirst: true, to: &reassembled, notes: &notes)
        assembler.reset()
        let result = assembler.add(5..<8, of: Self.pdu, isFirst: false, to: &reassembled, notes: &notes)
        guard case .orphan = result else { return #expect(Bool(false), "\(result)") }
        #expect(reassembled.isEmpty)
    }

    @Test func theLongestPDUIsPutTogether() {
        let pdu = [0xFF, 0xFF, 0x40, 0x00] + [UInt8](repeating: 7, count: 65535)
        let (results, bytes, _) = feed([Array(pdu[..<40_000]), Array(pdu[40_000...])])
        guard case .assembled = results[1] else { return #expect(Bool(false), "\(results)") }
        #expect(bytes.count == FragmentAssembler.longestPDU)
    }
}
