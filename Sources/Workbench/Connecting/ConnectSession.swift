package import Bluetooth
package import Bytes
import Captures
import Conversation
package import DeviceTesting
import Emulation
import Host
package import PluginKit
package import Profile
package import Transports

/// Options of `connect`.
package struct ConnectOptions {
    package var transport: TransportSpec
    /// The plugin selected by the user; nil for the plugin that describes the device.
    package var plugin: DevicePlugin?
    package var dialect: String?
    package var address: Address?
    package var name: String?
    /// The device's passkey, used to pair; nil to pair without user interaction, where the profile requires pairing.
    package var passkey: UInt32?
    /// The user who enters passkeys; nil for none.
    package var user: PairingUser?
    /// The ATT_MTU to request.
    package var mtu: UInt16 = 517
    package var timeout = Duration.seconds(30)
    /// Path of the capture to record all traffic to; nil for none.
    package var record: String?

    package init(transport: TransportSpec) {
        self.transport = transport
    }
}

/// An interactive connection to a device: reads, writes and subscriptions, with the names and values of the device's
/// plugin.
package final class ConnectSession {
    package enum Request: Hashable, Sendable {
        /// Characteristics are named as in the profile, by UUID, or by handle (`0x0010`).
        case read(String)
        /// The value in hexadecimal, or as JSON of the profile's fields.
        case write(String, String, hasResponse: Bool)
        case subscribe([String], isOn: Bool)
    }

    /// A value of a characteristic.
    package struct Shown: Sendable {
        package var time: Timestamp
        package var operation: OperationKind
        /// Name in the profile, else the UUID.
        package var name: String
        package var handle: Handle
        package var bytes: [UInt8]
        /// The decoded fields; nil where the profile has no type for the value.
        package var value: Value?
    }

    private let bed: any TestBed
    private let tester: LowerTester
    private let recorder: CaptureWriter?
    private var recorded = 0
    private let timeout: Duration
    private let mtu: UInt16

    /// Opens the transport, finds the device, connects, and discovers its attributes.
    package init(
        _ options: ConnectOptions, _ library: PluginLibrary, isInterrupted: @escaping () -> Bool
    ) throws {
        timeout = options.timeout
        mtu = options.mtu
        recorder = try options.record.map { try RadioRecorder.writer($0) }
        guard let general = library.entries.first(where: { $0.plugin.isGeneral })?.plugin ?? options.plugin else {
            throw TwinFault("there is no plugin")
        }
        var device = TestedDevice(options.plugin ?? general, dialect: try options.plugin?.dialect(options.dialect))
        device.address = options.address
        device.name = options.name
        device.passkey = options.passkey
        device.hasUser = options.user != nil || options.transport == .radio
        bed = try Self.bed(options, device.pairing, isInterrupted)
        tester = LowerTester(device, bed: bed)
        do {
            try tester.connect(mtu: options.mtu, within: options.timeout)
        } catch {
            close()
            throw error
        }
        if let (found, dialect) = recognized(options, library) {
            tester.device = TestedDevice(found, dialect: dialect)
            tester.device.address = options.address
            tester.device.name = options.name
            tester.device.passkey = options.passkey
            tester.device.hasUser = device.hasUser
        }
        try record()
    }

    private static func bed(
        _ options: ConnectOptions, _ pairing: PairingSettings, _ isInterrupted: @escaping () -> Bool
    ) throws -> any TestBed {
        guard options.transport == .radio else {
            return try TransportBed(
                options.transport, seed: 1, pairing: pairing, user: options.user,
                hands: NoUpperTester("connect asks nobody"), isInterrupted: isInterrupted)
        }
        guard let plugin = options.plugin else {
            throw TwinFault("radio: has the twin of a plugin on it; name one with --plugin")
        }
        return try VirtualBed(plugin, dialect: options.dialect, pairing: pairing, isInterrupted: isInterrupted)
    }

    /// What the user has not named: the plugin that matches the device's traffic, or the dialect that its attribute table
    /// fits.
    private func recognized(_ options: ConnectOptions, _ library: PluginLibrary) -> (DevicePlugin, String?)? {
        guard let plugin = options.plugin else { return Self.describing(bed.packets, library) }
        guard options.dialect == nil, let table = tester.table else { return nil }
        return plugin.profile.profile.dialect(of: table).map { (plugin, $0) }
    }

    /// The plugin that matches the device's traffic, and the dialect.
    private static func describing(_ packets: [RecordedPacket], _ library: PluginLibrary) -> (DevicePlugin, String?)? {
        let plugins = library.plugins
        var batch = TrackedBatch()
        batch.fill(packets.batch)
        ConversationTracker(plugins).follow(&batch)
        guard let match = batch.matches.values.first(where: { $0.plugin >= 0 }) else { return nil }
        return (plugins.plugins[match.plugin], match.dialect)
    }

    /// Ends the connection and the transport.
    package func close() {
        try? tester.disconnect()
        try? record()
        try? recorder?.flush()
        (bed as? TransportBed)?.close()
    }

    private func record() throws {
        try recorder?.write(bed.packets.dropFirst(recorded))
        recorded = bed.packets.count
    }
}

// MARK: - Requests

extension ConnectSession {
    /// Performs a request; returns the values that were read.
    package func perform(_ request: Request) throws -> [Shown] {
        defer { try? record() }
        try tester.connect(mtu: mtu, within: timeout)
        switch request {
        case .read(let name):
            let handle = try handle(of: name)
            switch try tester.read(handle) {
            case .success(let bytes): return [shown(.read, handle, bytes, at: tester.now)]
            case .failure(let code): throw ConnectFailure("\(name): \(code.words)")
            }
        case .write(let name, let text, let hasResponse):
            let handle = try handle(of: name)
            let bytes = try self.bytes(text, for: handle)
            if !hasResponse {
                try tester.writeCommand(handle, bytes)
            } else if let code = try tester.write(handle, bytes) {
                throw ConnectFailure("\(name): \(code.words)")
            }
            return []
        case .subscribe(let names, let isOn):
            for name in names { try tester.subscribe(handle(of: name), isOn: isOn) }
            return []
        }
    }

    /// The values received within a time; empty for none. Throws if the connection is lost.
    package func values(within limit: Duration) throws -> [Shown] {
        defer { try? record() }
        let values = try tester.received(within: limit)
        if values.isEmpty, tester.connection == nil {
            throw ConnectFailure("the connection was lost: \(tester.disconnectReason?.name ?? "no reason")")
        }
        return values.map { shown($0.operation, $0.handle, $0.bytes, at: $0.time) }
    }

    private func shown(_ operation: OperationKind, _ handle: Handle, _ bytes: [UInt8], at time: Timestamp) -> Shown {
        let table = tester.table ?? GATT.Table()
        let name = tester.name(of: handle)
        let type = table.attribute(at: handle)?.type.map { "\($0)" }
        return Shown(
            time: time, operation: operation, name: name ?? type ?? "\(handle)", handle: handle, bytes: bytes,
            value: name.flatMap { tester.fields(of: bytes, operation, $0) })
    }

    /// Resolves a characteristic named by the user to its value handle.
    private func handle(of name: String) throws -> Handle {
        let table = tester.table ?? GATT.Table()
        if let found = tester.device.characteristic(name, in: table) { return found.value }
        if name.hasPrefix("0x"), let number = UInt16(name.dropFirst(2), radix: 16), number > 0,
            table.attribute(at: Handle(number)) != nil
        {
            return Handle(number)
        }
        if let uuid = UUID(name), let found = table.characteristics.first(where: { $0.type == uuid }) {
            return found.value
        }
        let known = tester.device.characteristics.map(\.name).filter {
            tester.device.characteristic($0, in: table) != nil
        }
        let near = Spelling.suggestion(for: name, among: known)
        throw ConnectFailure("\(name): the device has no such characteristic\(near)")
    }

    private func bytes(_ text: String, for handle: Handle) throws -> [UInt8] {
        if let bytes = [UInt8](hex: text) { return bytes }
        let name = tester.name(of: handle)
        guard let json = try? JSONValue(reading: Array(text.utf8)) else {
            throw TwinFault("\(text): expected bytes in hexadecimal, or JSON of the profile's fields")
        }
        guard let name else { throw TwinFault("\(text): no plugin describes the value; write it in hexadecimal") }
        return try tester.device.bytes(of: Value(json).withTimes(at: tester.now), for: name)
    }

    /// Tab completion for requests to the device.
    package var completion: RequestCompletion {
        let table = tester.table ?? GATT.Table()
        let known = table.characteristics.map { one in
            let name = tester.name(of: one.value)
            return RequestCompletion.Characteristic(
                name ?? "\(one.type)", one.properties, types: name.map { tester.device.writtenTypes(of: $0) } ?? [])
        }
        return RequestCompletion(known, types: tester.device.plugin.profile.profile.types)
    }

    package var isConnected: Bool { tester.connection != nil }

    /// The device's characteristics: name or UUID, handle and properties.
    package var characteristics: [(name: String, handle: Handle, properties: String)] {
        (tester.table ?? GATT.Table()).characteristics.map { one in
            (tester.name(of: one.value) ?? "\(one.type)", one.value, one.properties.words)
        }
    }
}

/// A request failed: the device refused it, or has no such characteristic.
package struct ConnectFailure: Error, CustomStringConvertible {
    package var description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Value {
    /// The value with every text "now" replaced by the current time.
    fileprivate func withTimes(at now: Timestamp) -> Value {
        switch self {
        case .text("now"): return .text(Value.text(ofTime: now.nanoseconds / 1_000_000_000 * 1_000_000_000))
        case .list(let elements): return .list(elements.map { $0.withTimes(at: now) })
        case .record(var record):
            for index in record.fields.indices {
                record.fields[index].value = record.fields[index].value.withTimes(at: now)
            }
            return .record(record)
        default: return self
        }
    }
}

extension [UInt8] {
    /// Parses hexadecimal bytes, separated by spaces or colons or not at all; nil for anything else.
    fileprivate init?(hex text: String) {
        self.init(hexadecimal: text.filter { $0 != ":" })
        if isEmpty { return nil }
    }
}
