import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Conformance
import Output
import PDUTestKit
import TestKit
import Testing
import Workbench

/// `stats` and `check` of a capture that stays encrypted.
struct EncryptedCaptureTests {
    /// The file of a connection that is encrypted from its first ATT PDU on, or from the second one.
    private func capture(beginsInClear: Bool) throws -> [UInt8] {
        let air = AirSession()
        let link = air.connect(Cast.phone, to: Cast.puck)
        if beginsInClear { link.read(0x0003, [0x41]) }
        link.encrypt(with: SecretKey(1))
        link.notify(0x0006, [98])
        return try air.recording.airPcap()
    }

    @Test func statisticsCountWhatStaysClosed() async throws {
        let folder = try TemporaryFolder()
        let reader = try CaptureReader(path: try folder.file("capture", try capture(beginsInClear: true)))
        var report = StatisticsReport(try await StatisticsJob().run(reader) { _ in true }, of: reader)
        let decryption = try #require(try JSONValue(reading: Array(report.json().utf8))["decryption"])
        #expect(
            decryption
                == .members([
                    "encrypted": .integer(3), "decrypted": .integer(0), "bad_crc": .integer(0),
                    "undecrypted": .array([.members(["reason": .string("no_key"), "packets": .integer(3)])]),
                    "sessions": .array([]),
                ]))
        let lines = report.text().split(separator: "\n")
        #expect(lines.contains { $0.contains("encrypted PDUs") && $0.contains("0 of 3 decrypted") })
        #expect(lines.contains { $0.contains("no_key") })
    }

    @Test(arguments: [true, false])
    func aCheckThatReadsNoATTPDUIsInconclusive(beginsInClear: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("capture", try capture(beginsInClear: beginsInClear))
        let report = try await CheckJob().run(CaptureReader(path: path)) { _ in true }.report
        #expect(report.omissions.map(\.kind) == (beginsInClear ? [] : [.encrypted]))
        guard !beginsInClear else { return }
        #expect(report.outcome(isStrict: false) != .obeyed)
        #expect(report.omissions.first?.text.contains("no_key") == true)
    }
}
