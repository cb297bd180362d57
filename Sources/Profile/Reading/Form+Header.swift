import Bluetooth

extension Form where Value == Profile.Header {
    /// Section `profile`.
    static var header: Self {
        Form(mapping: "the profile's identity") { keys in
            let id = keys.require("id", .name)
            let title = keys.require("title", .line)
            let version = keys.require("version", .line)
            let format = keys.require("format", .integer(1...1000))
            if let format, format != Profile.format {
                keys.report("expected \(Profile.format), found \(format): another program reads that", at: "format")
            }
            var header = Value(id: id ?? "", title: title ?? "", version: version ?? "", place: keys.place)
            header.vendor = keys.take("vendor", .line)
            header.firmware = keys.take("firmware", .line)
            header.licence = keys.take("licence", .line)
            header.sources = keys.list("sources", of: .line)
            let abbreviations = keys.take("abbreviations", .entries("words by their abbreviation", .text, .text)) ?? []
            header.abbreviations = Dictionary(abbreviations.map { ($0.key, $0.value) }) { first, _ in first }
            header.doc = keys.take("doc", .text)
            header.mtu = keys.take("mtu", .integer(23...517))
            header.dialects = (keys.take("dialects", .entries("dialects by name", .name, .dialect)) ?? []).map {
                name, dialect, _ in
                Profile.Dialect(id: name, title: dialect.title ?? Form<String>.title(from: name), doc: dialect.doc)
            }
            header.accepted = keys.list("accepted", of: .accepted)
            return id == nil || title == nil || version == nil || format == nil ? nil : header
        }
    }
}

extension Profile.Header {
    /// A source with abbreviations expanded: `main`, and before a comma or a colon, `main:712`.
    func writtenOut(_ source: String) -> String {
        source.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let name = word.prefix { $0 != "," && $0 != ":" }
            return abbreviations[String(name)].map { $0 + word.dropFirst(name.count) } ?? String(word)
        }.joined(separator: " ")
    }

    /// Placeholder for a header that could not be read.
    static func unread(at place: SourcePlace) -> Self {
        Self(id: "", title: "", version: "", place: place)
    }
}

extension Form where Value == (title: String?, doc: String?) {
    fileprivate static var dialect: Self {
        Form(mapping: "a dialect") { keys in
            (title: keys.take("title", .line), doc: keys.take("doc", .text))
        }
    }
}

extension Form where Value == Profile.Acceptance {
    fileprivate static var accepted: Self {
        Form(mapping: "a finding that is accepted") { keys in
            let finding = keys.require(
                "finding", .word(ProfileCheck.allCases.map { ($0.rawValue, $0.rawValue) }))
            let at = keys.require("at", .text)
            let reason = keys.require("reason", .text)
            guard let finding, let at, let reason else { return nil }
            return Value(finding: finding, at: at, reason: reason, place: keys.place)
        }
    }
}

extension Form where Value == Profile.Evidence {
    /// An element of section `match`.
    static var evidence: Self {
        Form(mapping: "something that a device shows, and its weight") { keys in
            let sign = keys.one(
                of: "what the device shows",
                [
                    ("service", Form<UUID>.uuid.map { .service($0) }),
                    ("characteristic", Form<UUID>.uuid.map { .characteristic($0) }),
                    ("name", Form<String>.pattern.map { .name($0) }),
                    ("manufacturer", .manufacturer),
                    ("service_data", .serviceData),
                    ("device_information", .deviceInformation),
                ])
            let weight = keys.require("weight", .integer(1...100))
            let dialect = keys.take("dialect", .name)
            guard let sign, let weight else { return nil }
            return Value(sign, weight: weight, dialect: dialect, place: keys.place)
        }
    }
}

extension Form where Value == Profile.Evidence.Sign {
    fileprivate static var manufacturer: Self {
        Form(mapping: "a company and how its data begin") { keys in
            let data = keys.take("data", .bytes) ?? []
            return keys.require("company", .integer(0...0xFFFF)).map {
                .manufacturer(company: UInt16($0), prefix: data)
            }
        }
    }

    fileprivate static var serviceData: Self {
        Form(mapping: "a service and how its data begin") { keys in
            let data = keys.take("data", .bytes) ?? []
            return keys.require("uuid", .uuid).map { .serviceData($0, prefix: data) }
        }
    }

    fileprivate static var deviceInformation: Self {
        let strings = [
            "manufacturer_name", "model_number", "serial_number", "hardware_revision", "firmware_revision",
            "software_revision",
        ]
        return Form(mapping: "a string of the Device Information service") { keys in
            keys.one(
                of: "a string of the Device Information service",
                strings.map { name in (name, Form<String>.pattern.map { .deviceInformation(name, $0) }) })
        }
    }
}
