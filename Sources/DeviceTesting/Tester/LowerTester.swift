package import ATT
package import BluetoothTypes
package import Bytes
import Emulation
package import GATT
package import HCI
package import Host
import L2CAP
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
    private let host: Int
    private var finder: DeviceFinder
    package private(set) var connection: ConnectionHandle?
    /// The device's attributes, as the first discovery found them; a reconnection keeps them.
    package private(set) var table: GATT.Table?
    /// Values that the device has sent and nobody has asked for yet, in order.
    private var received: [ReceivedValue] = []
    private var results: [UInt64: Result<AttributeClient.Outcome, AttributeClient.Failure>] = [:]
    private var nextID: UInt64 = 1
    private var isReady = false
    /// Why the last connection ended.
    package private(set) var disconnectReason: HCI.ErrorCode?
    private var candidate: DeviceAddress?
    /// Whether the MTU was exchanged on this connection: a client does that once (Vol 3, Part F, 3.4.2.1).
    private(set) var hasExchangedMTU = false
    private var connectFailure: HCI.ErrorCode?
    private var security: LinkSecurity?
    private var pairingFailure: String?
    private var encryptionFailure: HCI.ErrorCode?
    /// Where the device was found, so that it need not be looked for again.
    private var address: DeviceAddress?
    /// Whether the device was looked for and did not show.
    private(set) var isMissing = false
    /// How long the device is looked for at most, whatever a case allows.
    var searchLimit: Duration?
    /// ATT PDUs of the device after which the tester loses the link; nil for never.
    private var lossCountdown: Int?
    /// What was wrong, as far as the case went on.
    package private(set) var findings: [Finding] = []
    /// The last value written to each characteristic on this connection.
    private var written = WrittenValues()
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
        finder = DeviceFinder(device.plugin.profile.profile)
        isReady = bed.host(host).isReady
    }

    package var now: Timestamp { bed.now }
    package var mtu: Int { client?.mtu ?? ATT.defaultMTU }
    private var client: AttributeClient? { connection.flatMap { bed.host(host).client(of: $0) } }
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
        case .failed(let failure): throw TestStop.inconclusive("the tester's controller failed: \(failure)")
        case .advertisement(let advertisement):
            if device.isWanted(advertisement, &finder), advertisement.isConnectable || advertisement.isScanResponse {
                candidate = advertisement.address
            }
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
        case .pairingPrompt(let handle, .enterPasskey):
            try bed.perform(.answerPairing(handle, device.passkey.map { .passkey($0) } ?? .no), host: host)
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
    private func endLink() {
        connection = nil
        security = nil
    }
}

// MARK: - Connections

extension LowerTester {
    /// Waits until the tester's controller is up.
    private func start() throws {
        if isReady { return }
        guard try wait(until: now + .seconds(10), for: { isReady }) else {
            throw TestStop.inconclusive("the tester's controller does not answer")
        }
    }

    /// Whether the device advertises so that it can be connected to, within a time.
    package func isAdvertising(within limit: Duration) throws -> Bool {
        try start()
        candidate = nil
        finder.forgetAll()
        var settings = Host.ScanSettings()
        settings.filtersDuplicates = false
        try bed.perform(.scan(settings), host: host)
        let isFound = try wait(until: now + limit) { candidate != nil }
        try bed.perform(.stopScanning, host: host)
        try wait(.milliseconds(20))
        if isFound { address = candidate }
        return isFound
    }

    /// Finds the device, connects and discovers its attributes unless they are known; exchanges the MTU if one is given and
    /// it was not on this connection.
    package func connect(mtu: UInt16? = nil, within limit: Duration = searchTime) throws {
        try openLink(within: limit)
        if let mtu, !hasExchangedMTU { try exchangeMTU(mtu) }
        if table == nil { try discover() }
        if device.needsPairing { try pair() }
    }

    /// Connects without a request to the device's server.
    package func openLink(within limit: Duration = searchTime) throws {
        if connection != nil { return }
        let limit = searchLimit.map { min($0, limit) } ?? limit
        let end = now + limit
        try start()
        // A device that was found before is asked at once; it is looked for when that fails.
        if let address { try establish(address) }
        while connection == nil {
            guard try findDevice(within: max(.seconds(1), end - now)), let candidate else {
                isMissing = true
                throw TestStop.failed(
                    expected: "advertising that can be connected to, within \(limit.words)", observed: "none")
            }
            try establish(candidate)
            if connection == nil, now >= end {
                throw TestStop.failed(expected: "a connection within \(limit.words)", observed: "none")
            }
        }
        isMissing = false
        received = []
        written = WrittenValues()
    }

    /// How long a device that can be woken is looked for before it is.
    private static let patience = Duration.seconds(8)

    /// Looks for the device, and wakes it if it does not show.
    private func findDevice(within limit: Duration) throws -> Bool {
        if wake.isEmpty || limit <= Self.patience { return try isAdvertising(within: limit) }
        if try isAdvertising(within: Self.patience) { return true }
        do {
            for action in wake { try bed.perform(action) }
        } catch TestStop.notApplicable {
            // Nobody is there to wake it: it may wake by itself.
        }
        return try isAdvertising(within: limit - Self.patience)
    }

    private func establish(_ address: DeviceAddress) throws {
        connectFailure = nil
        var settings = Host.ConnectSettings(address)
        settings.timeout = .seconds(5)
        try bed.perform(.connect(settings), host: host)
        try wait(until: now + .seconds(6)) { connection != nil || connectFailure != nil }
    }

    /// Ends the connection as the specification wants it.
    package func disconnect() throws {
        guard let connection else { return }
        try bed.perform(.disconnect(connection, .remoteUserTerminatedConnection), host: host)
        try wait(until: now + .seconds(10)) { self.connection == nil }
        // The device goes on advertising when it has noticed.
        try wait(.milliseconds(50))
    }

    /// Is out of reach from one moment to the next: the device notices by its supervision timeout.
    package func loseLink() throws {
        lossCountdown = nil
        isReady = false
        endLink()
        try bed.perform(.start, host: host)
        try start()
        try wait(Self.supervisionTimeout)
    }

    /// How long the device may take to notice that the link is lost.
    private static let supervisionTimeout = Duration.seconds(6)

    /// Loses the link after this number of further ATT PDUs of the device.
    package func loseLink(after count: Int) { lossCountdown = count }

    /// Encrypts the connection: by the bond, or by pairing with the passkey or without a user. Pairs anew when the device
    /// has lost its bond.
    private func pair() throws {
        guard let connection, !isEncrypted else { return }
        try encrypt(.secure(connection))
        if encryptionFailure == .pinOrKeyMissing, self.connection != nil {
            if let address { try bed.perform(.deleteBond(address), host: host) }
            try encrypt(.pair(connection))
        }
        if isEncrypted { return }
        if self.connection == nil {
            throw TestStop.failed(expected: "an encrypted connection", observed: "the connection was lost")
        }
        if let pairingFailure { throw TestStop.inconclusive("pairing failed: \(pairingFailure)") }
        throw TestStop.failed(
            expected: "an encrypted connection within \(Self.pairingTime.words)",
            observed: encryptionFailure.map { $0.name ?? "\($0.rawValue)" } ?? "none")
    }

    private static let pairingTime = Duration.seconds(30)

    private var isEncrypted: Bool { (security?.level ?? .open) > .open }

    private func encrypt(_ request: Host.Request) throws {
        pairingFailure = nil
        encryptionFailure = nil
        try bed.perform(request, host: host)
        try wait(until: now + Self.pairingTime) {
            isEncrypted || pairingFailure != nil || encryptionFailure != nil || connection == nil
        }
    }

    package func exchangeMTU(_ mtu: UInt16) throws {
        hasExchangedMTU = true
        _ = try run(.exchangeMTU(mtu), "Exchange MTU")
    }

    package func discover() throws {
        guard case .table(let table) = try run(.discover, "discovery") else { return }
        self.table = table
    }
}

// MARK: - Attributes

extension LowerTester {
    /// A connection, or the end of the case.
    private func connected() throws -> ConnectionHandle {
        if let connection { return connection }
        throw TestStop.failed(
            expected: "a connection",
            observed: disconnectReason.map { "disconnected: \($0.name ?? "reason \($0.rawValue)")" } ?? "none")
    }

    /// Runs a procedure to its end.
    private func result(
        of operation: AttributeClient.Operation
    ) throws -> Result<AttributeClient.Outcome, AttributeClient.Failure> {
        let connection = try connected()
        let id = nextID
        nextID += 1
        try bed.perform(.client(connection, operation, id: id), host: host)
        try wait(until: now + .seconds(60)) { results[id] != nil || self.connection == nil }
        let result = results.removeValue(forKey: id) ?? .failure(.disconnected)
        if let outcome = Coverage.Outcome(result) { coverage.note(outcome) }
        return result
    }

    /// Runs a procedure that must succeed.
    private func run(_ operation: AttributeClient.Operation, _ name: String) throws -> AttributeClient.Outcome {
        switch try result(of: operation) {
        case .success(let outcome): return outcome
        case .failure(let failure): throw TestStop.failed(expected: "\(name) to succeed", observed: failure.words)
        }
    }

    /// The name in the profile of the characteristic whose value is at a handle.
    package func name(of handle: Handle) -> String? { table.flatMap { device.name(of: handle, in: $0) } }

    /// The handle of a characteristic's value.
    package func handle(of name: String) throws -> Handle { try characteristic(name).value }

    package func characteristic(_ name: String) throws -> GATT.Table.Characteristic {
        if let table, let found = device.characteristic(name, in: table) { return found }
        throw TestStop.notApplicable("the device has no characteristic \(name)")
    }

    /// The Client Characteristic Configuration of a characteristic.
    package func configuration(of name: String) throws -> Handle {
        try configuration(of: characteristic(name), name)
    }

    private func configuration(of characteristic: GATT.Table.Characteristic, _ name: String) throws -> Handle {
        if let handle = table?.configuration(of: characteristic) { return handle }
        throw TestStop.failed(
            expected: "\(name) with a Client Characteristic Configuration", observed: "none was discovered")
    }

    /// Sends a PDU as it stands; the device's response, or nil where the connection was lost instead.
    package func send(_ pdu: [UInt8]) throws -> [UInt8]? {
        switch try result(of: .raw(pdu)) {
        case .success(.response(let response)): return response
        case .success: return []
        case .failure(.timedOut):
            throw TestStop.failed(
                expected: "a response to \(ATT.Opcode(rawValue: pdu.first ?? 0).words) within 30 s", observed: "none")
        case .failure(.disconnected): return nil
        case .failure(let failure): throw TestStop.inconclusive(failure.words)
        }
    }

    /// Sends a PDU that nothing answers.
    package func sendCommand(_ pdu: [UInt8]) throws {
        let connection = try connected()
        try bed.perform(.sendFrame(connection, .att, pdu), host: host)
        try wait(.milliseconds(200))
    }

    package func read(_ handle: Handle) throws -> Result<[UInt8], ATT.ErrorCode> {
        switch try result(of: .read(handle)) {
        case .success(.value(let bytes)): return .success(bytes)
        case .failure(.refused(let code, _)): return .failure(code)
        case .success: throw TestStop.inconclusive("a read without a value")
        case .failure(let failure): throw TestStop.failed(expected: "a response to a read", observed: failure.words)
        }
    }

    /// Reads a value that must be there; `what` says which it is.
    package func value(at handle: Handle, _ what: String) throws -> [UInt8] {
        switch try read(handle) {
        case .success(let bytes): return bytes
        case .failure(let code): throw TestStop.failed(expected: what, observed: code.words)
        }
    }

    /// Writes a value; the error that refuses it, nil for none.
    package func write(_ handle: Handle, _ bytes: [UInt8]) throws -> ATT.ErrorCode? {
        if let name = name(of: handle) { written[name] = bytes }
        switch try result(of: .write(handle, bytes)) {
        case .success: return nil
        case .failure(.refused(let code, _)): return code
        case .failure(let failure): throw TestStop.failed(expected: "a response to a write", observed: failure.words)
        }
    }

    package func writeCommand(_ handle: Handle, _ bytes: [UInt8]) throws {
        if let name = name(of: handle) { written[name] = bytes }
        _ = try run(.writeCommand(handle, bytes), "Write Command")
    }

    /// The values that come within a time, at the first moment at which there are any.
    package func received(within limit: Duration) throws -> [ReceivedValue] {
        try wait(until: now + limit) { !received.isEmpty || connection == nil }
        defer { received = [] }
        return received
    }

    /// Asks for notifications or indications, whichever the characteristic has; or for none any more.
    package func subscribe(_ name: String, isOn: Bool = true) throws {
        try subscribe(to: characteristic(name), name, isOn: isOn)
    }

    /// The same of the characteristic whose value is at a handle.
    package func subscribe(_ handle: Handle, isOn: Bool) throws {
        let name = name(of: handle) ?? "the value at \(handle)"
        guard let characteristic = table?.attribute(at: handle)?.characteristic else {
            throw TestStop.failed(expected: "\(name) as the value of a characteristic", observed: "it is none")
        }
        try subscribe(to: characteristic, name, isOn: isOn)
    }

    private func subscribe(to characteristic: GATT.Table.Characteristic, _ name: String, isOn: Bool) throws {
        let wanted: AttributeServer.Subscription =
            characteristic.properties.contains(.notify) ? .notifications : .indications
        if let code = try write(configuration(of: characteristic, name), [isOn ? UInt8(wanted.rawValue) : 0, 0]) {
            throw TestStop.failed(expected: "the subscription to \(name) to be accepted", observed: code.words)
        }
    }

    /// The next value of a characteristic that the device sends by itself and that is as wanted; nil where none comes in
    /// time. Earlier ones of the characteristic are forgotten with it; those of others wait for their turn.
    package func next(
        _ operation: OperationKind?, of name: String, within limit: Duration,
        where isWanted: (ReceivedValue) -> Bool = { _ in true }
    ) throws -> ReceivedValue? {
        var place: Int?
        try wait(until: now + limit) {
            place = received.firstIndex {
                $0.name == name && (operation == nil || $0.operation == operation) && isWanted($0)
            }
            return place != nil || connection == nil
        }
        guard let place else { return nil }
        let found = received[place]
        received = Array(received[..<place].filter { $0.name != name } + received[(place + 1)...])
        return found
    }

    /// Takes the values that came of characteristics other than these; their names.
    func takeUnexpected(besides names: Set<String>) -> [String] {
        let others = received.filter { one in one.name.map { !names.contains($0) } ?? true }
        received = []
        return others.map { $0.name ?? "handle \($0.handle)" }
    }

    /// Forgets the values that came so far.
    package func forgetReceived() { received = [] }
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
        FrameReference(frame: bed.packets.count, time: now.nanoseconds, connection: 0)
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
