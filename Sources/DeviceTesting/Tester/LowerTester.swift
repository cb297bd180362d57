package import Bluetooth
package import Bytes
import Emulation
package import Host
package import PluginKit
package import Profile

/// The lower tester: a GATT client that does what a case says, one thing after the other, and keeps what comes back.
///
/// Every call lets time pass until it has its answer. Where the device leaves one out, the call ends the case with what
/// was expected.
package final class LowerTester {
    package var device: TestedDevice
    package let bed: any TestBed
    /// Which of the bed's hosts it uses.
    let host: Int
    var search: DeviceSearch
    /// Whether it is settled which of the devices around is meant.
    package var hasChosen = false
    package private(set) var connection: ConnectionHandle?
    /// The device's attributes, as the first discovery found them; a reconnection keeps them.
    package internal(set) var table: GATT.Table?
    /// Rules that responses to the discovery have broken.
    var discoveryFaults: [String] = []
    /// Packets up to the end of the case's first discovery, which every case needs.
    var discoveryEnd: Int?
    /// Values that the device has sent and nobody has asked for yet, in order.
    var received: [ReceivedValue] = []
    var results: [UInt64: Result<AttributeClient.Outcome, AttributeClient.Failure>] = [:]
    var nextID: UInt64 = 1
    var isReady = false
    /// Why the last connection ended.
    package private(set) var disconnectReason: HCI.ErrorCode?
    var candidate: DeviceAddress?
    /// Whether the MTU was exchanged on this connection: a client does that once (Vol 3, Part F, 3.4.2.1).
    var hasExchangedMTU = false
    var connectFailure: HCI.ErrorCode?
    var security: LinkSecurity?
    var pairingFailure: String?
    /// What the user has to do for pairing to go on.
    var pairingPrompt: (connection: ConnectionHandle, prompt: Pairing.Prompt)?
    var encryptionFailure: HCI.ErrorCode?
    /// Where the device was found, so that it need not be looked for again.
    var address: DeviceAddress?
    /// Whether the device was looked for and did not show.
    var isMissing = false
    /// How long the device is looked for at most, whatever a case allows.
    var searchLimit: Duration?
    /// ATT PDUs of the device after which the tester loses the link; nil for never.
    var lossCountdown: Int?
    /// What was wrong, as far as the case went on.
    package private(set) var findings: [Finding] = []
    /// Whether the case has failed in a step that prepares what it is about: a connection, a subscription, its set-up.
    var hasFailedPreparing = false
    /// The last value written to each characteristic on this connection.
    var written = WrittenValues()
    package var coverage = Coverage()
    /// When the case is given up.
    var deadline: Timestamp?
    /// What wakes the device when it is not to be found.
    package var wake: [HandAction] = []

    /// A value that the device has sent by itself.
    package struct ReceivedValue: Sendable {
        package var handle: Handle
        package var name: String?
        package var operation: OperationKind
        package var bytes: [UInt8]
        package var time: Timestamp
    }

    /// How long the device may take to be found, in all that a case does not time itself.
    package static let searchTime = Duration.seconds(30)

    package init(_ device: TestedDevice, bed: any TestBed, host: Int = 0) {
        self.device = device
        self.bed = bed
        self.host = host
        search = DeviceSearch(device)
        isReady = bed.host(host).isReady
    }

    package var now: Timestamp { bed.now }
    package var mtu: Int { client?.mtu ?? ATT.defaultMTU }
    var client: AttributeClient? { connection.flatMap { bed.host(host).client(of: $0) } }
}

// MARK: - Time

extension LowerTester {
    /// Lets time pass until something holds, at most until `limit`; whether it holds.
    @discardableResult
    package func wait(until limit: Timestamp, for condition: () -> Bool) throws -> Bool {
        while !condition() {
            if let deadline, bed.now >= deadline { throw TestStop.inconclusive("the case took too long") }
            let reports = try bed.events(until: deadline.map { min($0, limit) } ?? limit)
            for report in reports where report.host == host { try take(report.event) }
            // In real time, a device that never pauses must not put the limit off.
            if bed.now > limit || (reports.isEmpty && bed.now >= limit) { return condition() }
            try checkFlood()
        }
        return true
    }

    /// Packets of one case, and values that no step has taken, beyond which the case ends.
    private static let packetLimit = 100_000
    private static let valueLimit = 10_000

    /// Ends the case of a device that sends without end.
    private func checkFlood() throws {
        if received.count > Self.valueLimit {
            received = []
            throw TestStop.failed(
                expected: "at most \(Self.valueLimit) values that no step waits for", observed: "more")
        }
        guard bed.packets.count > Self.packetLimit else { return }
        if connection == nil { throw TestStop.inconclusive("more than \(Self.packetLimit) packets") }
        throw TestStop.failed(expected: "at most \(Self.packetLimit) packets in a case", observed: "more")
    }

    package func wait(_ duration: Duration) throws { try wait(until: now + duration) { false } }

    private func take(_ event: Host.Event) throws {
        switch event {
        case .ready: isReady = true
        case .failed(let failure): throw TestStop.inconclusive("the tester's controller failed: \(failure.words)")
        case .advertisement(let advertisement):
            if search.take(advertisement, of: device) { candidate = candidate ?? advertisement.address }
        case .connected(let handle, _):
            connection = handle
            hasExchangedMTU = false
            disconnectReason = nil
        case .connectionFailed(let reason): connectFailure = reason
        case .disconnected(let handle, let reason) where handle == connection:
            endLink()
            disconnectReason = reason
        case .securityChanged(_, let link): security = link
        case .pairingFailed(_, let failure): pairingFailure = failure.words
        case .pairingPrompt(let handle, let prompt): pairingPrompt = (handle, prompt)
        case .encryptionFailed(let handle, let reason) where handle == connection: encryptionFailure = reason
        case .client(let handle, let event) where handle == connection: try take(event)
        default: break
        }
    }

    private func take(_ event: AttributeClient.Event) throws {
        switch event {
        case .finished(let id, let result): results[id] = result
        case .notified(let handle, let bytes): receive(.notify, handle, bytes)
        case .indicated(let handle, let bytes): receive(.indicate, handle, bytes)
        case .servicesChanged: table = nil
        case .mtuChanged: break
        }
        guard let count = lossCountdown else { return }
        lossCountdown = count - 1
        if count <= 1 { try loseLink() }
    }

    private func receive(_ operation: OperationKind, _ handle: Handle, _ bytes: [UInt8]) {
        received.append(
            ReceivedValue(handle: handle, name: name(of: handle), operation: operation, bytes: bytes, time: now))
    }

    /// Forgets what belongs to the connection, which has ended.
    func endLink() {
        connection = nil
        security = nil
    }
}

// MARK: - Values and findings

extension LowerTester {
    /// The fields of a value; nil where it has no type, or is none of it.
    package func fields(of bytes: [UInt8], _ operation: OperationKind, _ name: String) -> Value? {
        guard let layout = device.layout(of: name, operation, bytes, written) else { return nil }
        return try? layout.decode(bytes)
    }

    /// Notes that something was wrong; the case goes on.
    package func fail(expected: String, observed: String, bytes: [UInt8] = []) {
        findings.append(
            Finding(moments: [moment], bytes: Array(bytes.prefix(512)), expected: expected, observed: observed))
    }

    /// Notes that something was wrong unless it holds; whether it holds.
    @discardableResult
    package func expect(
        _ holds: Bool, _ expected: @autoclosure () -> String, observed: @autoclosure () -> String,
        bytes: [UInt8] = []
    ) -> Bool {
        if !holds { fail(expected: expected(), observed: observed(), bytes: bytes) }
        return holds
    }

    /// Notes that a value has a length that the profile does not allow.
    func expectLength(of bytes: [UInt8], _ definition: CharacteristicDefinition) {
        guard let length = definition.length else { return }
        expect(
            length.contains(bytes.count), "\(definition.name) of \(length.lowerBound) to \(length.upperBound) bytes",
            observed: "\(bytes.count)", bytes: bytes)
    }

    /// The last packet, as findings refer to it.
    package var moment: FrameReference {
        FrameReference(frame: bed.packets.count, time: now, connection: 0)
    }
}

extension ATT.ErrorCode {
    /// `error 0x0d (Invalid Attribute Value Length)`.
    package var words: String {
        "error 0x\(String(hex: rawValue, digits: 2))" + (name.map { " (\($0))" } ?? "")
    }
}

extension ATT.Opcode {
    package var words: String { name ?? "opcode 0x\(String(hex: rawValue, digits: 2))" }
}

extension AttributeClient.Failure {
    package var words: String {
        switch self {
        case .refused(let code, _): code.words
        case .timedOut: "no response within 30 s"
        case .disconnected: "the connection was lost"
        case .invalidResponse(let text): text
        case .busy: "too many procedures"
        case .notConfigurable: "no Client Characteristic Configuration"
        }
    }
}

extension Duration {
    /// For messages: `30 s`, `200 ms`.
    package var words: String { (self / .seconds(1)).secondsText }
}
