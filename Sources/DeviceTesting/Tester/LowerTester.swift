package import Bluetooth
package import Bytes
import Emulation
package import Host
package import PluginKit
package import Profile

/// The lower tester: a GATT client that performs the steps of a case in sequence and keeps the responses.
///
/// Every call advances time until it has its response. If the device does not respond, the call ends the case with the
/// failed expectation.
package final class LowerTester {
    package var device: TestedDevice
    package let bed: any TestBed
    /// Index of the host that it uses in the bed.
    let host: Int
    var search: DeviceSearch
    /// Whether one of the devices in range has been selected.
    package var hasChosen = false
    package private(set) var connection: ConnectionHandle?
    /// The device's attributes from the first discovery; a reconnection keeps them.
    package internal(set) var table: GATT.Table?
    /// Rules broken by responses to the discovery.
    var discoveryFaults: [String] = []
    /// Number of packets up to the end of the case's first discovery, which every case needs.
    var discoveryEnd: Int?
    /// Values sent by the device and not yet consumed by a step, in order.
    var received: [ReceivedValue] = []
    var results: [UInt64: Result<AttributeClient.Outcome, AttributeClient.Failure>] = [:]
    var nextID: UInt64 = 1
    var isReady = false
    /// Reason for the end of the last connection.
    package private(set) var disconnectReason: HCI.ErrorCode?
    var candidate: DeviceAddress?
    /// Whether the MTU has been exchanged on this connection: a client does so once (Vol 3, Part F, 3.4.2.1).
    var hasExchangedMTU = false
    var connectFailure: HCI.ErrorCode?
    var security: LinkSecurity?
    var pairingFailure: String?
    /// The pending pairing prompt for the user.
    var pairingPrompt: (connection: ConnectionHandle, prompt: Pairing.Prompt)?
    var encryptionFailure: HCI.ErrorCode?
    /// The address at which the device was found, to avoid another search.
    var address: DeviceAddress?
    /// Whether a search for the device failed.
    var isMissing = false
    /// Upper limit of each search for the device, whatever a case allows.
    var searchLimit: Duration?
    /// Number of further ATT PDUs from the device after which the tester drops the link; nil for never.
    var lossCountdown: Int?
    /// Findings of the case so far.
    package private(set) var findings: [Finding] = []
    /// Whether the case has failed in a preparation step: a connection, a subscription, its set-up.
    var hasFailedPreparing = false
    /// The last value written to each characteristic on this connection.
    var written = WrittenValues()
    package var coverage = Coverage()
    /// Time at which the case is abandoned.
    var deadline: Timestamp?
    /// Actions that wake the device when it is not found.
    package var wake: [HandAction] = []

    /// A notified or indicated value.
    package struct ReceivedValue: Sendable {
        package var handle: Handle
        package var name: String?
        package var operation: OperationKind
        package var bytes: [UInt8]
        package var time: Timestamp
    }

    /// Default time limit to find the device.
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
    /// Advances time until a condition holds or `limit` is reached; returns whether it holds.
    @discardableResult
    package func wait(until limit: Timestamp, for condition: () -> Bool) throws -> Bool {
        while !condition() {
            if let deadline, bed.now >= deadline { throw TestStop.inconclusive("the case took too long") }
            let reports = try bed.events(until: deadline.map { min($0, limit) } ?? limit)
            for report in reports where report.host == host { try take(report.event) }
            // In real time, a device that sends without pause must not extend the limit.
            if bed.now > limit || (reports.isEmpty && bed.now >= limit) { return condition() }
            try checkFlood()
        }
        return true
    }

    /// Maximum packets of a case, and maximum values not consumed by a step; beyond these the case ends.
    private static let packetLimit = 100_000
    private static let valueLimit = 10_000

    /// Ends the case if the device sends without end.
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

    /// Resets the state of the connection, which has ended.
    func endLink() {
        connection = nil
        security = nil
    }
}

// MARK: - Values and findings

extension LowerTester {
    /// The fields of a value; nil where it has no type or does not decode.
    package func fields(of bytes: [UInt8], _ operation: OperationKind, _ name: String) -> Value? {
        guard let layout = device.layout(of: name, operation, bytes, written) else { return nil }
        return try? layout.decode(bytes)
    }

    /// Records a finding; the case continues.
    package func fail(expected: String, observed: String, bytes: [UInt8] = []) {
        findings.append(
            Finding(moments: [moment], bytes: Array(bytes.prefix(512)), expected: expected, observed: observed))
    }

    /// Records a finding unless `holds` is true; returns `holds`.
    @discardableResult
    package func expect(
        _ holds: Bool, _ expected: @autoclosure () -> String, observed: @autoclosure () -> String,
        bytes: [UInt8] = []
    ) -> Bool {
        if !holds { fail(expected: expected(), observed: observed(), bytes: bytes) }
        return holds
    }

    /// Records a finding if the profile does not allow the length of a value.
    func expectLength(of bytes: [UInt8], _ definition: CharacteristicDefinition) {
        guard let length = definition.length else { return }
        expect(
            length.contains(bytes.count), "\(definition.name) of \(length.lowerBound) to \(length.upperBound) bytes",
            observed: "\(bytes.count)", bytes: bytes)
    }

    /// A reference to the last packet, for findings.
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
