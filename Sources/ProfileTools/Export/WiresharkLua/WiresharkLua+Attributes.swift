import Bluetooth
import Bytes
import Profile

/// Writes the Lua tables of a device's known attributes, advertisements and messages.
struct AttributeTables {
    private let profile: Profile
    private let imported: GATT.KnownTables

    init(_ profile: Profile, imported: GATT.KnownTables) {
        self.profile = profile
        self.imported = imported
    }

    var code: String {
        let own = ownTypes
        return """
            -- Attributes -----------------------------------------------------------------------------------------

            -- UUIDs that no other device has; those of the Bluetooth SIG are ours on a device that shows one of them.
            local own_types = {
            \(own.map { "    [\(key($0))] = true,\n" }.joined())}
            local is_general = \(own.isEmpty || profile.match.isEmpty)
            local uses_written = \(usesWritten)

            local characteristics = {
            \(characteristics)}

            local descriptors = \(table(profile.descriptors))

            -- UUIDs by the names of characteristics, for each service.
            local services = {
            \(profile.services.map { "    {\(names(of: $0))},\n" }.joined())}

            -- By UUID of service data, and by company of manufacturer data.
            local advertised = {
            \(profile.advertising.map { "    [\(key($0.carrier))] = \(choice($0.reading)),\n" }.joined())}

            -- How the data of a UUID or a company begin, if they are ours.
            local prefixes = {
            \(prefixes)}

            -- Attribute tables that were known before, by address; "" is that of all other devices.
            local imported = {
            \(importedTables)}

            local messages = {
            \(profile.messages.map { "    \(message($0)),\n" }.joined())}

            """
    }

    // MARK: - Attributes

    /// Vendor-specific UUIDs, not assigned by the Bluetooth SIG.
    private var ownTypes: [UUID] {
        let all = profile.services.map(\.uuid) + profile.services.flatMap(\.characteristics).map(\.uuid)
        var seen: Set<UUID> = []
        return all.filter { $0.uuid32 == nil && seen.insert($0).inserted }
    }

    private var usesWritten: Bool {
        let choices =
            profile.services.flatMap(\.characteristics).flatMap { $0.readings.values }
            + profile.messages.map(\.reading)
        return choices.contains { choice in
            choice.alternatives.contains { !($0.condition?.characteristics ?? []).isEmpty }
        }
    }

    /// Characteristics by UUID; the first of duplicates counts, as with several dialects.
    private var characteristics: String {
        var seen: Set<UUID> = []
        var text = ""
        for characteristic in profile.services.flatMap(\.characteristics)
        where seen.insert(characteristic.uuid).inserted {
            let readings = OperationKind.allCases.compactMap { operation in
                characteristic.readings[operation].map { "\(operation.rawValue) = \(choice($0))" }
            }
            let entries =
                ["name = \(LuaWriter.quoted(characteristic.name))"]
                + (characteristic.request.map { ["request = \(LuaWriter.quoted($0))"] } ?? []) + readings
                + ["descriptors = \(table(characteristic.descriptors))"]
            text += "    [\(key(characteristic.uuid))] = {\(entries.joined(separator: ", "))},\n"
        }
        return text
    }

    private func table(_ descriptors: [DescriptorDefinition]) -> String {
        "{"
            + descriptors.compactMap { one in one.reading.map { "[\(key(one.uuid))] = \(choice($0))" } }
            .joined(separator: ", ") + "}"
    }

    private func names(of service: ServiceDefinition) -> String {
        service.characteristics.map { "\($0.name) = \(key($0.uuid))" }.joined(separator: ", ")
    }

    /// Alternatives for the type of a value.
    private func choice(_ choice: PayloadChoice) -> String {
        "{"
            + choice.alternatives.map { one in
                let condition = one.condition.map { "when = \(LuaWriter.function($0)), " } ?? ""
                return "{\(condition)type = types.\(one.type)}"
            }.joined(separator: ", ") + "}"
    }

    private func key(_ uuid: UUID) -> String {
        "\"" + uuid.longDescription.filter { $0 != "-" } + "\""
    }

    private func key(_ carrier: GAP.DataOwner) -> String {
        switch carrier {
        case .service(let uuid): key(uuid)
        case .company(let company): "\(company)"
        }
    }

    private var prefixes: String {
        var byOwner: [String: [String]] = [:]
        for case (let owner, let prefix)? in profile.match.map(\.sign.advertised) where !prefix.isEmpty {
            let bytes = prefix.map { "\\x" + String(hex: $0, digits: 2) }.joined()
            byOwner[key(owner), default: []].append("\"\(bytes)\"")
        }
        return byOwner.sorted { $0.key < $1.key }.map { "    [\($0)] = {\($1.joined(separator: ", "))},\n" }.joined()
    }

    // MARK: - Handles

    private var importedTables: String {
        let named = imported.byAddress.map { (address: $0.key.address.description, table: $0.value) }
        let all = named.sorted { $0.address < $1.address } + (imported.ofOthers.map { [("", $0)] } ?? [])
        return all.map { address, table in
            let types = table.services.map(\.type) + table.characteristics.map(\.type)
            var seen: Set<UUID> = []
            let lists = [
                ("characteristics", table.characteristics.map { "[\($0.value.rawValue)] = \(key($0.type))" }),
                ("descriptors", table.descriptors.map { "[\($0.handle.rawValue)] = \(key($0.type))" }),
                ("types", types.filter { seen.insert($0).inserted }.map { "[\(key($0))] = true" }),
            ]
            let parts = lists.map { "\($0.0) = {\($0.1.joined(separator: ", "))}" }
            return "    [\(LuaWriter.quoted(address))] = {\(parts.joined(separator: ", "))},\n"
        }.joined()
    }

    // MARK: - Messages

    private func message(_ message: MessageDefinition) -> String {
        var entries = [
            "name = \(LuaWriter.quoted(message.name))", "title = \(LuaWriter.quoted(message.title))",
            "characteristic = \"\(message.characteristic)\"",
            "operation = \"\(message.operation.rawValue)\"", "reading = \(choice(message.reading))",
        ]
        if let request = message.request { entries.append("request = \(LuaWriter.quoted(request))") }
        if let timeout = message.timeout { entries.append("timeout = \(timeout)") }
        switch message.framing {
        case .lengthPrefix(let bytes): entries.append("prefix = \(bytes)")
        case .chunks(let index, let total, let content):
            entries += [
                "index = \(LuaWriter.quoted(index))", "total = \(LuaWriter.quoted(total))",
                "content = \(LuaWriter.quoted(content))",
            ]
        case .stream(let framing): entries.append("stream = \(table(framing))")
        }
        return "{" + entries.joined(separator: ", ") + "}"
    }

    private func table(_ framing: StreamFraming) -> String {
        func bytes(_ bytes: [UInt8]) -> String {
            "\"" + bytes.map { "\\x" + String(hex: $0, digits: 2) }.joined() + "\""
        }
        var entries = ["start = \(bytes(framing.start))", "finish = \(bytes(framing.end))", "limit = \(framing.limit)"]
        switch framing.length {
        case .fixed(let length)?: entries.append("length = \(length)")
        case .field(let field)?:
            var form = "at = \(field.offset), size = \(field.size), add = \(field.addend)"
            switch field.form {
            case .unsigned(let isBigEndian): form += isBigEndian ? "" : ", little = true"
            case .digits(let base): form += ", base = \(base)"
            }
            entries.append("length = {\(form)}")
        case nil: break
        }
        switch framing.escape?.form {
        case .xor(let mask)?: entries.append("xor = \(mask)")
        case .codes(let codes)?:
            let list = codes.sorted { $0.key < $1.key }.map { "[\($0.key)] = \($0.value)" }
            entries.append("codes = {\(list.joined(separator: ", "))}")
        case nil: break
        }
        if let escape = framing.escape { entries.append("escape = \(escape.byte)") }
        return "{\(entries.joined(separator: ", "))}"
    }
}
