import Bluetooth
import Captures
import Conversation
import Output
import PDUTestKit
import PluginKit
import TestKit
import Workbench

/// A session of a phone with a thermometer that is recorded with small changes, to be compared with itself.
struct ComparedSession {
    /// Changes of the session.
    var clientMTU: UInt16 = 247
    var written: [UInt8] = [1, 0]
    var temperatures: [UInt8] = [20, 21, 22, 23]
    /// Reads of the battery level.
    var reads = 1
    /// Whether the battery level is read before the notifications are enabled.
    var readsFirst = true
    /// Time that each response takes beside the usual one, in milliseconds.
    var delay: Int64 = 0
    var pairingCapability: SMP.IOCapability?
    var error: ATT.ErrorCode?
    var interval: UInt16?
    var firstHandle: UInt16 = 1
    var address = "c0:00:00:00:00:01"
    var end = HCI.ErrorCode.remoteUserTerminatedConnection

    private static func layout(_ first: UInt16) -> ServerLayout {
        ServerLayout(
            first: first,
            .service(0x1809, .characteristic(0x2A1C, [.notify], descriptors: .clientCharacteristicConfiguration)),
            .service(0x180F, .characteristic(0x2A19, [.read])))
    }

    /// The recording of the phone's host.
    var recording: Recording {
        let session = HCISession()
        let layout = Self.layout(firstHandle)
        guard let address = Address(address) else { return session.recording }
        let link = session.connect(to: DeviceAddress(address, .random))
        if let interval {
            session.event(
                HCI.LEConnectionUpdateComplete(
                    status: .success, handle: link.handle, interval: interval, latency: 0, supervisionTimeout: 42))
        }
        link.exchangeMTU(client: clientMTU, server: 185)
        link.discover(layout)
        if let pairingCapability { pair(link, pairingCapability) }
        let configuration = Handle(layout[0x2A1C].rawValue + 1)
        func readAll() {
            for _ in 0..<reads { read(link, layout[0x2A19], session) }
        }
        if readsFirst { readAll() }
        link.write(configuration, written)
        if !readsFirst { readAll() }
        for temperature in temperatures { link.notify(layout[0x2A1C], [0, temperature, 0, 0, 0]) }
        link.disconnect(reason: end)
        return session.recording
    }

    private func read(_ link: HCILink, _ handle: Handle, _ session: HCISession) {
        link.request(ATT.ReadRequest(handle: handle))
        session.recording.wait(milliseconds: delay)
        if let error { link.refuse(.readRequest, handle, error) } else { link.respond(ATT.ReadResponse(value: [90])) }
    }

    /// The beginning of a pairing, which the phone then gives up.
    private func pair(_ link: HCILink, _ capability: SMP.IOCapability) {
        let features = SMP.PairingFeatures(
            ioCapability: capability, requirements: .init(isBonding: true, needsMITMProtection: true),
            initiatorKeys: .init(encryption: true), responderKeys: .init(encryption: true))
        link.security(SMP.PairingRequest(features: features), .sent)
        link.security(SMP.PairingResponse(features: features), .received)
        link.security(SMP.PairingFailed(reason: .unspecifiedReason), .sent)
    }

    /// The outline of a recording, in a file with a name.
    static func outline(
        of recording: Recording, plugins: PluginSet = .none, named name: String = "capture"
    ) async throws -> CaptureOutline {
        let folder = try TemporaryFolder()
        let bytes = recording.kind == .hci ? try recording.btsnoop() : try recording.airPcap()
        var job = OutlineJob()
        job.plugins = plugins
        return try await job.run(CaptureReader(path: try folder.file(name, bytes))) { _ in true }
    }

    /// Compares the session with another one.
    func compared(with other: ComparedSession, _ options: ComparisonOptions = .init()) async throws -> CaptureComparison
    {
        try CaptureComparison(
            try await Self.outline(of: recording), try await Self.outline(of: other.recording), options)
    }
}

extension CaptureComparison {
    /// Kinds and subjects of all differences: `value: Write Request …`.
    var summary: [String] {
        connections.flatMap(\.differences).map { "\($0.label): \($0.subject)" }
    }

    var fields: [FieldDifference] { connections.flatMap(\.differences).flatMap(\.fields) }
}
