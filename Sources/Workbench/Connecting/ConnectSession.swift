import ATT
package import BluetoothTypes
package import Bytes
import Captures
import Conversation
import DeviceTesting
import Emulation
import GATT
import HCI
package import PluginKit
package import Profile
package import Transports

/// What the user asks of `connect`.
package struct ConnectOptions: Sendable {
    package var transport: TransportSpec
    /// The plugin that the user named; nil for the one that describes the device.
    package var plugin: DevicePlugin?
    package var dialect: String?
    package var address: Address?
    package var name: String?
    /// ATT_MTU that is asked for.
    package var mtu: UInt16 = 517
    package var timeout = Duration.seconds(30)
    /// Path of the recording of all traffic; nil for none.
    package var record: String?

    package init(transport: TransportSpec) {
        self.transport = transport
    }
}

/// A connection with a device that a user reads, writes and watches, in the words of the device's plugin.
package final class ConnectSession {
    /// Something that the user asks for.
    package enum Request: Hashable, Sendable {
        /// Characteristics are given by their names in the profile, by UUID, or by handle (`0x0010`).
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
        /// Its fields; nil where the profile has no type for them.
        package var value: Value?
    }

    private let bed: any TestBed
    private let tester: LowerTester
    private let recorder: CaptureWriter?
    private var recorded = 0
    private let timeout: Duration
    private let mtu: UInt16
    /// The plugin that describes the device; nil where none does.
    package private(set) var plugin: DevicePlugin?

    /// Opens the transport, finds the device, connects, and discovers its attributes.
    package init(
        _ options: ConnectOptions, _ library: PluginLibrary, isInterrupted: @escaping () -> Bool
    ) throws {
        timeout = options.timeout
        mtu = options.mtu
        recorder = try options.record.map { try RadioRecorder.writer($0) }
        bed = try Self.bed(options, isInterrupted)
        guard let general = library.entries.first(where: { $0.plugin.isGeneral })?.plugin ?? options.plugin else {
            throw TwinFault("there is no plugin")
        }
        var device = TestedDevice(
            options.plugin ?? general, dialect: try options.plugin?.dialect(options.dialect), allDialects: false)
        device.address = options.address
        device.name = options.name
        tester = LowerTester(device, bed: bed)
        do {
            try tester.connect(mtu: options.mtu, within: options.timeout)
        } catch {
            close()
            throw error
        }
        plugin = options.plugin
        if plugin == nil, let (found, dialect) = Self.describing(tester.table ?? GATT.Table(), library) {
            plugin = found
            tester.device = TestedDevice(found, dialect: dialect)
        }
        try record()
    }

    private static func bed(_ options: ConnectOptions, _ isInterrupted: @escaping () -> Bool) throws -> any TestBed {
        guard options.transport == .radio else {
            return try TransportBed(
                options.transport, seed: 1, hands: NoUpperTester("connect asks nobody"), isInterrupted: isInterrupted)
        }
        guard let plugin = options.plugin else {
            throw TwinFault("radio: has the twin of a plugin on it; name one with --plugin")
        }
        return try VirtualBed(plugin, dialect: options.dialect, isInterrupted: isInterrupted)
    }

    /// The plugin whose services the device has.
    private static func describing(_ table: GATT.Table, _ library: PluginLibrary) -> (DevicePlugin, String?)? {
        let services = Set(table.services.map(\.type))
        let candidates = library.entries.map(\.plugin).filter { !$0.isGeneral }.flatMap { plugin in
            let dialects = plugin.profile.profile.header.dialects.map { Optional($0.id) }
            return (dialects.isEmpty ? [nil] : dialects).map { (plugin, $0) }
        }
        let scored = candidates.map { plugin, dialect in
            let device = TestedDevice(plugin, dialect: dialect)
            let known = device.characteristics.count { device.characteristic($0.name, in: table) != nil }
            let own = device.services.contains { services.contains($0.uuid) && $0.uuid.uuid16 == nil }
            return (plugin, dialect, own ? known : 0)
        }
        guard let best = scored.max(by: { $0.2 < $1.2 }), best.2 > 0 else { return nil }
        return (best.0, best.1)
    }

    /// Ends the connection and the transport.
    package func close() {
        try? tester.disconnect()
        try? record()
        try? recorder?.flush()
        (bed as? TransportBed)?.close()
    }

    private func record() throws {
        for packet in bed.packets.dropFirst(recorded) {
            try recorder?.write(
                h4: packet.bytes, direction: packet.isSent ? .sent : .received, time: packet.time)
        }
        recorded = bed.packets.count
    }
}

// MARK: - Requests

extension ConnectSession {
    /// Does what is asked; the values that were read.
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

    /// The values that the device sends within a time; empty where none comes. Throws where the connection is lost.
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
        let name = tester.device.name(of: handle, in: table)
        let type = table.attribute(at: handle)?.type.map { "\($0)" }
        return Shown(
            time: time, operation: operation, name: name ?? type ?? "\(handle)", handle: handle, bytes: bytes,
            value: name.flatMap { tester.fields(of: bytes, operation, $0) })
    }

    /// The handle of a characteristic's value that a user names.
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
        let near = Spelling.nearest(to: name, among: known).first.map { "; did you mean \($0)?" } ?? ""
        throw ConnectFailure("\(name): the device has no such characteristic\(near)")
    }

    private func bytes(_ text: String, for handle: Handle) throws -> [UInt8] {
        if let bytes = [UInt8](hex: text) { return bytes }
        let name = tester.device.name(of: handle, in: tester.table ?? GATT.Table())
        guard let json = try? JSONValue(reading: Array(text.utf8)) else {
            throw ConnectFailure("\(text): expected bytes in hexadecimal, or JSON of the profile's fields")
        }
        guard let name else { throw ConnectFailure("\(text): no plugin describes the value; write it in hexadecimal") }
        return try tester.device.bytes(of: Value(json).withTimes(at: tester.now), for: name)
    }

    /// The device's characteristics: name, handle, properties, and UUID.
    package var characteristics: [(name: String, handle: Handle, properties: String, uuid: UUID)] {
        let table = tester.table ?? GATT.Table()
        return table.characteristics.map { one in
            (
                tester.device.name(of: one.value, in: table) ?? "\(one.type)", one.value, one.properties.words, one.type
            )
        }
    }
}

/// A request that the device, or the profile, refuses.
package struct ConnectFailure: Error, CustomStringConvertible {
    package var description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Value {
    /// The same with the time of now in place of the text "now".
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
    /// Bytes in hexadecimal, with blanks where one likes; nil for anything else.
    fileprivate init?(hex text: String) {
        let digits = text.filter { $0 != " " && $0 != ":" }.map(\.hexDigitValue)
        guard !digits.isEmpty, digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let nibbles = digits.compactMap(\.self)
        self = stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }
}
