import Bluetooth
package import Profile

// Formatting of the draft as a `profile.yaml`.
extension ProfileDraft {
    /// The file, with a vector for each sample that can be decoded. Throws the faults of the generated profile, which
    /// would be a bug in gattbench.
    package func text() throws(ProfileFaults) -> String {
        let body = header + matchSection + typeSection + attributeSection + advertisingSection + ruleSection
        let profile = try ProfileReader.read(body, file: "\(id)/profile.yaml")
        return body + vectorSection(try CompiledProfile(profile))
    }

    private var header: String {
        comments.map { $0.isEmpty ? "#\n" : "# \($0)\n" }.joined()
            + """

            profile:
              id: \(id)
              title: \(YAMLText.quoted(Form<String>.title(from: id)))
              version: 0.1.0
              format: \(Profile.format)

            """
    }

    private var matchSection: String {
        if evidence.isEmpty { return "" }
        let lines = evidence.map { "  - {\(Self.yaml($0.sign)), weight: \($0.weight)}\n" }
        let isAdvertised = evidence.contains { $0.sign.advertised != nil }
        return "# What tells the device from others; from \(Profile.Evidence.threshold) on it is one.\n"
            + (isAdvertised ? "# `data`: the bytes with which the data of every such device begin.\n" : "")
            + "match:\n" + lines.joined() + "\n"
    }

    private static func yaml(_ sign: Profile.Evidence.Sign) -> String {
        switch sign {
        case .service(let uuid): "service: \(yaml(uuid))"
        case .characteristic(let uuid): "characteristic: \(yaml(uuid))"
        case .name(let pattern): "name: \(YAMLText.quoted(pattern))"
        case .manufacturer(let company, let prefix): "manufacturer: {company: \(yaml(company))\(data(prefix))}"
        case .serviceData(let uuid, let prefix): "service_data: {uuid: \(yaml(uuid))\(data(prefix))}"
        case .deviceInformation(let name, let pattern): "device_information: {\(name): \(YAMLText.quoted(pattern))}"
        }
    }

    /// The key for a prefix of data.
    private static func data(_ prefix: [UInt8]) -> String {
        prefix.isEmpty ? "" : ", data: \"\(prefix.hexPairs)\""
    }

    // MARK: - Types

    private var typeSection: String {
        if types.isEmpty { return "" }
        return "types:\n" + types.map(Self.lines).joined(separator: "\n") + "\n"
    }

    private static func lines(_ type: DraftType) -> String {
        var text = "  \(type.name):\n"
        if let title = type.title { text += "    title: \(YAMLText.quoted(title))\n" }
        if let doc = type.doc { text += "    doc: \(YAMLText.quoted(doc))\n" }
        switch type.form {
        case .scalar(let field):
            text += "    type: \(field.type)\n" + field.keys.map { "    \($0.name): \($0.value)\n" }.joined()
            text += inner(field, indent: "    ")
        case .structure(let fields):
            text += "    fields:\n" + fields.map(lines).joined()
        }
        return text
    }

    private static func lines(_ field: DraftField) -> String {
        if field.bits.isEmpty, field.values.isEmpty {
            let keys =
                [("name", field.name), ("type", field.type)] + field.keys
                + (field.doc.map { [("doc", YAMLText.quoted($0))] } ?? [])
            return "      - {" + keys.map { "\($0.0): \($0.1)" }.joined(separator: ", ") + "}\n"
        }
        var text = "      - name: \(field.name)\n        type: \(field.type)\n"
        if let doc = field.doc { text += "        doc: \(YAMLText.quoted(doc))\n" }
        text += field.keys.map { "        \($0.name): \($0.value)\n" }.joined()
        return text + inner(field, indent: "        ")
    }

    /// Named values and bit parts.
    private static func inner(_ field: DraftField, indent: String) -> String {
        var text = ""
        if !field.values.isEmpty {
            text += "\(indent)values:\n"
            for one in field.values {
                let name = one.doc.map { "{name: \(one.name), doc: \(YAMLText.quoted($0))}" } ?? one.name
                text += "\(indent)  \(one.value): \(name)\n"
            }
        }
        if !field.bits.isEmpty {
            text += "\(indent)bits:\n"
            for part in field.bits {
                let last = part.lowest + part.width - 1
                let place = part.width == 1 ? "bit: \(part.lowest)" : "bits: [\(part.lowest), \(last)]"
                let sign = part.isSigned ? ", signed: true" : ""
                let doc = part.doc.map { ", doc: \(YAMLText.quoted($0))" } ?? ""
                text += "\(indent)  - {name: \(part.name), \(place)\(sign)\(doc)}\n"
            }
        }
        return text
    }

    // MARK: - Attributes

    private var attributeSection: String {
        if services.isEmpty { return "" }
        return "gatt:\n" + services.map(Self.lines).joined(separator: "\n")
    }

    private static func lines(_ service: Service) -> String {
        var text = service.comment.map { "  # \($0)\n" } ?? ""
        text += "  - service: \(yaml(service.uuid))\n    name: \(service.name)\n"
        if service.characteristics.isEmpty { return text }
        text += "    characteristics:\n"
        for one in service.characteristics {
            text += "      - uuid: \(yaml(one.uuid))\n        name: \(one.name)\n"
            text += "        properties: [\(words(one.properties).joined(separator: ", "))]\n"
            text += lines(one.values, indent: "        ")
        }
        return text
    }

    /// The key for the types of values.
    private static func lines(_ values: [TypeOfLength], indent: String) -> String {
        if values.isEmpty { return "" }
        if values.count == 1, values[0].length == nil { return "\(indent)value: \(values[0].type)\n" }
        return "\(indent)value:\n"
            + values.map { value in
                let condition = value.length.map { "when: length == \($0), " } ?? ""
                return "\(indent)  - {\(condition)type: \(value.type)}\n"
            }.joined()
    }

    // MARK: - Advertised data

    private var advertisingSection: String {
        if advertising.isEmpty { return "" }
        return (services.isEmpty ? "" : "\n") + "advertising:\n" + advertising.map(Self.lines).joined()
    }

    private static func lines(_ data: Advertised) -> String {
        let owner =
            switch data.owner {
            case .company(let company): "manufacturer_data: \(yaml(company))"
            case .service(let uuid): "service_data: \(yaml(uuid))"
            }
        return "  # \(data.comment)\n  - \(owner)\n" + lines(data.values, indent: "    ")
    }

    // MARK: - Rules

    private var ruleSection: String {
        if rules.isEmpty { return "" }
        let name = String(id.uppercased().map { $0 == "_" ? "-" : $0 })
        let lines = rules.enumerated().map { index, rule in
            let number = (index < 9 ? "0" : "") + String(index + 1)
            return "  - {id: \(name)-\(number), text: \(YAMLText.quoted(rule.text)), role: peripheral, "
                + "severity: warning,\n     \(Self.yaml(rule))}\n"
        }
        return "\n# What every advertisement of the capture obeys; a longer one may show more.\nrules:\n"
            + lines.joined()
    }

    private static func yaml(_ rule: Rule) -> String {
        let event = "on: advertise \(rule.type)"
        switch rule.demand {
        case .length(let lengths):
            let isOne = lengths.lowerBound == lengths.upperBound
            let words = isOne ? "\(lengths.lowerBound)" : "[\(lengths.lowerBound), \(lengths.upperBound)]"
            return "length: {\(event), is: \(words)}"
        case .firstByte(let bytes):
            let words = bytes.map { "0x" + [$0].hexPairs }
            let condition = words.count == 1 ? "u8(0) == \(words[0])" : "u8(0) in {\(words.joined(separator: ", "))}"
            return "check: {\(event), holds: '\(condition)'}"
        }
    }

    private static func yaml(_ uuid: UUID) -> String {
        uuid.uuid16.map(yaml) ?? uuid.longDescription.uppercased()
    }

    private static func yaml(_ number: UInt16) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// The names of properties in profiles.
    private static func words(_ properties: GATT.Properties) -> [String] {
        let words: [(GATT.Properties, String)] = [
            (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write_without_response"),
            (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
            (.authenticatedSignedWrites, "signed_write"), (.extended, "extended"),
        ]
        return words.filter { properties.contains($0.0) }.map(\.1)
    }

    // MARK: - Vectors

    private func vectorSection(_ profile: CompiledProfile) -> String {
        var numbers: [String: Int] = [:]
        var lines: [String] = []
        for sample in samples {
            guard let layout = profile.types[sample.type], let value = try? layout.decode(sample.bytes) else {
                continue
            }
            let number = (numbers[sample.type] ?? 0) + 1
            numbers[sample.type] = number
            // Values that do not encode to the same bytes, such as invalid UTF-8, become decode-only vectors.
            let isReversible = (try? layout.encode(value)) == sample.bytes
            lines.append(
                "  - {id: \(sample.type)_\(number), type: \(sample.type), hex: \"\(sample.bytes.hexPairs)\", "
                    + "\(isReversible ? "value" : "decodes_to"): \(value.yaml)}\n")
        }
        if lines.isEmpty { return "" }
        return "\n# Bytes and what they mean: the profile is held to them by plugins lint.\nvectors:\n" + lines.joined()
    }
}

extension ProfileDraft.Rule {
    fileprivate var text: String {
        switch demand {
        case .length(let lengths) where lengths.lowerBound == lengths.upperBound:
            "\(title) have \(lengths.lowerBound) byte\(lengths.lowerBound == 1 ? "" : "s")."
        case .length(let lengths): "\(title) have \(lengths.lowerBound) to \(lengths.upperBound) bytes."
        case .firstByte(let bytes):
            "\(title) begin with \(bytes.map { [$0].hexPairs }.joined(separator: " or "))."
        }
    }
}
