import Bluetooth
import Bytes
import Host
import PDUTestKit

/// A server that a script accesses as one client on connection 1 and another on connection 2.
struct ScriptedServer {
    static let client: ConnectionHandle = 1
    static let identity = DeviceAddress(Address(value: 0xC0FF_EE00_0001), .random)

    var server: AttributeServer
    var now = Timestamp(nanoseconds: 0)
    var ticket: UInt64 = 0

    init(_ database: AttributeDatabase = .example) {
        var limits = AttributeServer.Limits()
        limits.mtu = 64
        limits.preparedParts = 4
        limits.preparedBytes = 40
        limits.waitingIndications = 2
        server = AttributeServer(database, limits: limits)
        server.connect(Self.client)
    }

    /// Performs the action of a line and returns the resulting lines.
    mutating func callAsFunction(_ line: String) -> [String] {
        if line.hasPrefix(">") {
            return describe(server.handle(hex(String(line.dropFirst())), from: Self.client, at: now))
        }
        return describe(act(line.dropFirst().split(separator: " ").map(String.init)))
    }

    private mutating func act(_ words: [String]) -> [AttributeServer.Action] {
        let argument = words.count > 1 ? words[1] : ""
        switch words[0] {
        case "tell", "notify", "indicate":
            return server.sendUpdate(
                hex(words[2]), at: handle(argument),
                as: words[0] == "notify" ? .notification : words[0] == "indicate" ? .indication : nil, now: now)
        case "answer": return server.answer(ticket, .value(hex(argument)), at: now)
        case "accept": return server.answer(ticket, .accepted, at: now)
        case "refuse":
            return server.answer(ticket, .refused(ATT.ErrorCode(rawValue: hex(argument)[0])), at: now)
        case "set":
            _ = server.setValue(hex(words[2]), at: handle(argument))
            return []
        case "secure":
            let level: SecurityLevel = argument == "authenticated" ? .authenticated : .encrypted
            let size = words.count > 2 ? UInt8(words[2])! : 16
            server.setSecurity(LinkSecurity(level: level, keySize: size, hasKey: true), of: Self.client)
            return []
        case "bonded":
            server.setSecurity(LinkSecurity(hasKey: true), of: Self.client)
            return []
        case "identify": return server.identify(Self.client, as: Self.identity, at: now)
        case "pair": return server.identify(Self.client, as: Self.identity, isNewBond: true, at: now)
        case "reconnect":
            server.disconnect(Self.client)
            server.connect(Self.client)
            return []
        case "replace": return server.replace(argument == "back" ? .example : .changedExample, at: now)
        case "wait":
            now = now + .seconds(Int(argument)!)
            return server.tick(at: now)
        default: preconditionFailure("no such act: \(words)")
        }
    }

    private func handle(_ digits: String) -> Handle { Handle(UInt16(digits, radix: 16)!) }

    private mutating func describe(_ actions: [AttributeServer.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .send(let pdu, _): return "< " + hexText(pdu)
            case .event(let event): return "= " + describe(event)
            }
        }
    }

    private mutating func describe(_ event: AttributeServer.Event) -> String {
        switch event {
        case .asked(let question):
            ticket = question.ticket
            switch question.kind {
            case .read: return "asked to read \(short(question.handle))"
            case .write(let value, _): return "asked to write \(short(question.handle)) \(hexText(value))"
            }
        case .written(let handle, let value, _, let kind):
            return "written \(short(handle)) \(hexText(value)) \(kind)"
        case .subscribed(let handle, let subscription, _):
            return "subscribed \(short(handle)) \(subscription.rawValue)"
        case .confirmed(let handle, _): return "confirmed \(short(handle))"
        case .mtuChanged(let mtu, _): return "mtu \(mtu)"
        case .indicationTimedOut: return "indication timed out"
        }
    }

    private func short(_ handle: Handle) -> String { String(handle.description.dropFirst(2)) }
}

extension AttributeDatabase {
    /// A server with attributes of every kind:
    ///
    ///     0001 Generic Access: 0003 Device Name "Test", 0005 Appearance 0x0341
    ///     0006 Generic Attribute: 0008 Service Changed, 000b Client Supported Features, 000d Database Hash
    ///     0010 Battery Service: 0012 Battery Level 0x64 (read, notify)
    ///     0020 a service with a 128-bit UUID, which includes 0010:
    ///     0023 30 bytes (read, write, write without response), 0024 its writable user description
    ///     0026 read only, 0028 write only, 2 bytes
    ///     002a encrypted, 002c authenticated, 002e encrypted with a key of 16 bytes
    ///     0030 asks its owner, 0032 indicates, 0035 notifies and indicates
    ///     0040 a secondary service
    static let example = try! AttributeDatabase(exampleServices)

    /// The example with its last service replaced by another.
    static let changedExample = try! AttributeDatabase(
        exampleServices.dropLast() + [AttributeDatabase.Service(0x1802, handle: 0x50)])

    static let customService = UUID("f0000001-0000-4000-8000-aabbccddeeff")!

    private static let exampleServices: [AttributeDatabase.Service] = [
        .init(
            0x1800,
            [
                .init(.deviceName, .read, value: Array("Test".utf8)),
                .init(0x2A01, .read, value: [0x41, 0x03]),
            ]),
        .genericAttribute,
        .init(
            0x180F, handle: 0x10, [.init(0x2A19, [.read, .notify], value: [0x64])]),
        .init(
            customService, handle: 0x20, includes: [0x180F],
            [
                .init(
                    0xFF01, [.read, .write, .writeWithoutResponse], value: (0..<30).map { UInt8($0) },
                    descriptors: [.init(0x2901, value: Array("Count".utf8), write: .open)]),
                .init(0xFF02, .read, value: [0xAA]),
                .init(0xFF03, .write, lengths: 2...2),
                .init(
                    0xFF04, [.read, .write], value: [0x04], read: .encrypted, write: .encrypted),
                .init(
                    0xFF05, [.read, .write], value: [0x05], read: .authenticated, write: .authenticated),
                .init(
                    0xFF06, [.read, .write], value: [0x06], read: .from(.encrypted, keySize: 16),
                    write: .from(.encrypted, keySize: 16)),
                .init(0xFF07, [.read, .write], kind: .asked),
                .init(0xFF08, .indicate),
                .init(0xFF09, [.notify, .indicate], subscribe: .open),
            ]),
        .init(0x180A, isPrimary: false, handle: 0x40),
    ]
}
