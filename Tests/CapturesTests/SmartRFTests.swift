import Bytes
import Captures
import PDUTestKit
import Testing

private typealias Build = CaptureBuilder

/// ADV_IND of C0:05:04:03:02:01 with the Flags 06, as it is on the air (Vol 6, Part B, 2.1, 2.3.1.1).
private let advertising = hex("d6be898e 40 09 0102030405c0 020106 aabbcc")
/// Empty PDU of a connection.
private let empty = hex("44332211 01 00 112233")

@Suite("SmartRF Packet Sniffer") struct SmartRFTests {
    @Test func recordsAreLinkLayerPackets() throws {
        let capture = try ReadCapture(
            Build.smartRFRecord(1, advertising) + Build.smartRFRecord(2, empty, signal: -3, status: 9))
        #expect(capture.format == .smartRF)
        #expect(capture.packets.map(\.encapsulation) == [.linkLayerWithHeader, .linkLayerWithHeader])
        #expect(capture.packets.map(\.number) == [1, 2])
        // RF channel in order of frequency, signal strength, three unused fields, flags: dewhitened, signal valid, CRC
        // checked; then CRC valid (tcpdump.org, LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR).
        #expect(capture.bytes[0] == hex("00 c2 00 00 00000000 030c") + advertising)
        #expect(capture.bytes[1] == hex("0a 9f 00 00 00000000 0304") + empty)
        #expect(capture.warnings.isEmpty)
    }

    /// The timer of a CC2540 counts 32 MHz to 5000: a time of 65536 in the file is 156.25 µs.
    @Test(
        arguments: [
            ([0, 1250], [0, 39_062]), ([4999, 0x1_0000, 0x2_0020], [156_218, 156_250, 313_500]),
            // Of a writer that counts in 64 bits.
            ([6400, 0x1_0000], [200_000, 2_048_000]), ([UInt64.max - 1], [Int64.max]),
        ] as [([UInt64], [Int64])])
    func timesAreOfTheTimerOfTheChip(stored: [UInt64], nanoseconds: [Int64]) throws {
        let records = stored.enumerated().map { Build.smartRFRecord(UInt32($0.offset) + 1, empty, time: $0.element) }
        let capture = try ReadCapture(records.flatMap(\.self))
        #expect(capture.packets.map(\.time.nanoseconds) == nanoseconds)
    }

    @Test func missingNumbersAreDroppedPackets() throws {
        let capture = try ReadCapture(([7, 8, 12, 3] as [UInt32]).flatMap { Build.smartRFRecord($0, empty) })
        #expect(capture.packets.map(\.drops) == [0, 0, 3, 0])
    }

    @Test(arguments: [1, 61, 271, 256 * 1024]) func truncationAtEveryByteKeepsTheWholeRecords(chunkSize: Int) throws {
        let file = (1...3 as ClosedRange<UInt32>).flatMap { Build.smartRFRecord($0, advertising) }
        for count in 1...file.count {
            do throws(CaptureError) {
                let capture = try ReadCapture(Array(file[..<count]), chunkSize: chunkSize)
                #expect(capture.packets.count == count / 271)
                #expect(capture.warnings.map(\.offset) == (count % 271 == 0 ? [] : [count / 271 * 271]))
            } catch {
                #expect(count < 271)
            }
        }
    }

    @Test func aRecordWithTwoLengthsIsSkipped() throws {
        let capture = try ReadCapture(
            Build.smartRFRecord(1, empty) + Build.smartRFRecord(2, empty) + Build.smartRFRecord(3, empty, length: 30)
                + Build.smartRFRecord(4, empty))
        #expect(capture.packets.map(\.number) == [1, 2, 4])
        #expect(
            capture.warnings.map(\.description) == [
                "test: offset 542: the two lengths of a record disagree; it was skipped"
            ])
    }

    @Test func theFormatIsNotWritten() {
        #expect(CaptureFormat(forPath: "a.psd") == nil)
        #expect(CaptureTarget(.smartRF, linkType: .linkLayer) == nil)
        let error = #expect(throws: CaptureError.self) {
            try CaptureWriter(path: "/dev/null", target: CaptureTarget(.smartRF, holding: .linkLayer))
        }
        #expect(error?.kind == .wrongTarget)
    }
}
