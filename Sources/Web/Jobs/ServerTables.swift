import Bluetooth
import Bytes
import Conversation
import Dissection
import PluginKit

/// The attribute tables of a capture's servers.
struct ServerTables {
    /// A server and its newest attribute table.
    struct Server {
        let id: Int32
        let device: Device
        let plugin: Int
        let contents: AttributeTableStore.Version

        /// Handles of all known attributes, in order.
        var handles: [Handle] {
            let table = contents.table
            let handles =
                table.services.map(\.start) + table.characteristics.flatMap { [$0.declaration, $0.value] }
                + table.descriptors.map(\.handle)
            return Set(handles.map(\.rawValue)).sorted().map { Handle($0) }
        }
    }

    private let outcome: StatisticsOutcome
    private let survey: Survey?

    /// Maximum number of servers listed.
    private static let limit = 500

    init(_ outcome: StatisticsOutcome, _ survey: Survey?) {
        (self.outcome, self.survey) = (outcome, survey)
    }

    /// The server with an id, which is the number of its device.
    func server(_ id: Int32) -> Server? {
        let devices = outcome.tracker.devices.devices
        guard devices.indices.contains(Int(id)), devices[Int(id)].newestTableVersion.isKnown else { return nil }
        let device = devices[Int(id)]
        return Server(
            id: id, device: device, plugin: outcome.match(id).plugin,
            contents: outcome.tracker.knowledge[device.newestTableVersion])
    }

    /// The servers with known attributes.
    var all: [Server] {
        let devices = outcome.tracker.devices.devices
        return Array(
            devices.indices.lazy.filter { devices[$0].newestTableVersion.isKnown && devices[$0].identity < 0 }
                .compactMap { server(Int32($0)) }.filter { !$0.handles.isEmpty }.prefix(Self.limit))
    }

    /// The id of the plugin that describes a server.
    func plugin(of server: Server) -> String? {
        server.plugin < 0 ? nil : outcome.plugins.plugins[server.plugin].id
    }

    /// All servers, with the observed use of their attributes.
    func servers(_ rows: PacketLines) -> [JSONValue] {
        all.map { server in
            .members([
                "id": .integer(Int(server.id)), "device": .string(server.device.title),
                "address": server.device.address.map { .string("\($0.address)") },
                "plugin": plugin(of: server).map { .string($0) },
                "attributes": .array(server.handles.compactMap { attribute($0, of: server, rows) }),
            ])
        }
    }

    /// Description and observed use of an attribute.
    func attribute(_ handle: Handle, of server: Server, _ rows: PacketLines) -> JSONValue? {
        guard let (attribute, confidence) = server.contents.attribute(at: handle) else { return nil }
        var members = describe(attribute, confidence, of: server)
        let key = Survey.AttributeKey(device: server.id, handle: handle.rawValue)
        if let last = survey?.attributes[key] {
            members.append(("count", .integer(last.count)))
            if last.number > 0 {
                members.append(("number", .integer(last.number)))
                if let info = rows.info(ofNumber: last.number) { members.append(("last", .string(info))) }
            }
        }
        return .object(of: members)
    }

    private func describe(
        _ attribute: GATT.Attribute, _ confidence: GATT.Confidence, of server: Server
    ) -> [(name: String, value: JSONValue)] {
        Self.describe(attribute, confidence) { type in
            outcome.plugins.name(of: type) { $0 == server.plugin }
        }
    }

    private static func describe(
        _ attribute: GATT.Attribute, _ confidence: GATT.Confidence, name pluginName: (UUID) -> String? = { _ in nil }
    ) -> [(name: String, value: JSONValue)] {
        var names = AttributeNames()
        func text(_ type: UUID) -> String { pluginName(type) ?? names.attribute(type) }
        var members: [(name: String, value: JSONValue)] = [
            ("handle", .integer(Int(attribute.handle.rawValue))),
            ("type", .string(attribute.type.map { "\($0)" } ?? "")), ("kind", .string(kind(of: attribute))),
            ("confidence", .string(confidence.rawValue)),
        ]
        if let service = attribute.service {
            members.append(("service", .string(pluginName(service.type) ?? names.service(service.type))))
        }
        if case .service = attribute.kind, let service = attribute.service {
            members.append(("name", .string(pluginName(service.type) ?? names.service(service.type))))
        } else if let type = attribute.nameableType {
            members.append(("name", .string(text(type))))
        } else if let name = attribute.plainName {
            members.append(("name", .string(name)))
        }
        if case .characteristic(let characteristic) = attribute.kind {
            members.append(("properties", .array(characteristic.properties.names.map { .string($0) })))
        }
        return members
    }

    private static func kind(of attribute: GATT.Attribute) -> String {
        switch attribute.kind {
        case .service: "service"
        case .characteristic: "characteristic"
        case .value, .undeclaredValue: "value"
        case .descriptor: "descriptor"
        case .unknown: "unknown"
        }
    }

    /// The attributes that differ between two tables, by handle.
    static func difference(_ a: Server, _ b: Server) -> [JSONValue] {
        let handles = Set(a.handles.map(\.rawValue)).union(b.handles.map(\.rawValue)).sorted()
        return handles.compactMap { number in
            let (one, other) = (
                a.contents.attribute(at: Handle(number)), b.contents.attribute(at: Handle(number))
            )
            let isSame = one?.0.type == other?.0.type && one?.0.kind == other?.0.kind
            if isSame { return nil }
            let change = one == nil ? "added" : other == nil ? "removed" : "changed"
            return .members([
                "handle": .integer(Int(number)), "change": .string(change),
                "a": one.map { .object(of: describe($0.0, $0.1)) },
                "b": other.map { .object(of: describe($0.0, $0.1)) },
            ])
        }
    }
}
