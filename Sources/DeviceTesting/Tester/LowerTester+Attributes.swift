package import Bluetooth
import Bytes
import Host
import PluginKit
package import Profile

/// Requests, their responses, and values sent by the device.
extension LowerTester {
    /// The connection; ends the case if there is none.
    func connected() throws -> ConnectionHandle {
        if let connection { return connection }
        throw TestStop.failed(
            expected: "a connection",
            observed: disconnectReason.map { "disconnected: \($0.name ?? "reason \($0.rawValue)")" } ?? "none")
    }

    /// Runs a procedure until it completes.
    func result(
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
    func run(_ operation: AttributeClient.Operation, _ name: String) throws -> AttributeClient.Outcome {
        switch try result(of: operation) {
        case .success(let outcome): return outcome
        case .failure(let failure): throw TestStop.failed(expected: "\(name) to succeed", observed: failure.words)
        }
    }

    /// The profile's name of the characteristic whose value is at a handle.
    package func name(of handle: Handle) -> String? { table.flatMap { device.name(of: handle, in: $0) } }

    /// The value handle of a characteristic.
    package func handle(of name: String) throws -> Handle { try characteristic(name).value }

    package func characteristic(_ name: String) throws -> GATT.Table.Characteristic {
        if let table, let found = device.characteristic(name, in: table) { return found }
        throw TestStop.notApplicable("the device has no characteristic \(name)")
    }

    /// The handle of a characteristic's Client Characteristic Configuration.
    package func configuration(of name: String) throws -> Handle {
        try configuration(of: characteristic(name), name)
    }

    private func configuration(of characteristic: GATT.Table.Characteristic, _ name: String) throws -> Handle {
        if let handle = table?.configuration(of: characteristic) { return handle }
        throw TestStop.failed(
            expected: "\(name) with a Client Characteristic Configuration", observed: "none was discovered")
    }

    /// Sends a raw PDU; returns the device's response, or nil if the connection was lost instead.
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

    /// Sends a PDU that has no response.
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

    /// Reads a value that must be readable; `what` describes it in the failure.
    package func value(at handle: Handle, _ what: String) throws -> [UInt8] {
        switch try read(handle) {
        case .success(let bytes): return bytes
        case .failure(let code): throw TestStop.failed(expected: what, observed: code.words)
        }
    }

    /// Writes a value; returns the error that rejects it, nil for success.
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

    /// Waits for values within a time; returns as soon as there are any.
    package func received(within limit: Duration) throws -> [ReceivedValue] {
        try wait(until: now + limit) { !received.isEmpty || connection == nil }
        defer { received = [] }
        return received
    }

    /// Enables notifications, or indications if the characteristic has only those; or disables them.
    package func subscribe(_ name: String, isOn: Bool = true) throws {
        try subscribe(to: characteristic(name), name, isOn: isOn)
    }

    /// Enables or disables notifications or indications of the characteristic whose value is at a handle.
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

    /// The next matching value that the device notifies or indicates; nil if none arrives in time. Earlier values of
    /// the same characteristic are discarded; those of others stay queued.
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

    /// Discards all received values; returns the names of those from characteristics other than these.
    func takeUnexpected(besides names: Set<String>) -> [String] {
        let others = received.filter { one in one.name.map { !names.contains($0) } ?? true }
        received = []
        return others.map { $0.name ?? "handle \($0.handle)" }
    }

    /// Discards the values received so far.
    package func forgetReceived() { received = [] }
}
