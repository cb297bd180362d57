import Bluetooth
import Bytes
import Profile
package import ProfileTools

extension CaptureSurvey.Device {
    /// A draft profile for devices like this one; values that `general` decodes are left out.
    package func draft(id: String, file: String, general: GeneralReaders = GeneralReaders()) -> ProfileDraft {
        var maker = CaptureDraft(self, id: id, general: general)
        maker.make()
        let name = file.split(separator: "/").last.map(String.init) ?? file
        maker.draft.comments = [
            "Made from \(name): what \(title) showed there.",
            "To do: give names, take the bytes apart into fields, add units and ranges.",
        ]
        if advertised.contains(where: general.read) {
            maker.draft.comments.append("Advertised data without a type here are read by the plugin \"standard\".")
        }
        if !maker.hasEvidence {
            maker.draft.comments.append("Nothing there tells the device from others: correct section match.")
        }
        maker.draft.comments.append("Then: gattbench plugins lint --strict profile.yaml")
        return maker.draft
    }

    /// The device's name in messages.
    package var title: String {
        let address = address?.address.description
        return name.isEmpty ? address ?? "a device without name" : "\"\(name)\"" + (address.map { " (\($0))" } ?? "")
    }
}

/// Builds a draft profile from a device's traffic in a capture.
private struct CaptureDraft {
    private let device: CaptureSurvey.Device
    private let general: GeneralReaders
    var draft: ProfileDraft
    private var names: Set<String> = []
    private var services = 0
    /// Number of characteristics without a known name.
    private var unnamed = 0
    /// Whether the evidence distinguishes the device from others.
    private(set) var hasEvidence = false

    /// Values of each type that become test vectors.
    private static let samples = 3
    /// Maximum number of distinct lengths with a type each; beyond that, values are bytes of any length.
    private static let lengths = 4
    /// Maximum number of distinct first bytes of advertised data; beyond that, any first byte matches.
    private static let beginningLimit = 4

    init(_ device: CaptureSurvey.Device, id: String, general: GeneralReaders) {
        self.device = device
        self.general = general
        draft = ProfileDraft(id: id)
    }

    mutating func make() {
        for service in device.table.services where !Self.isOfEveryStack(service.type) { add(service) }
        for data in device.advertised where !general.read(data) { add(data) }
        addEvidence()
    }

    /// Whether a service is Generic Access or Generic Attribute, which every device has.
    private static func isOfEveryStack(_ type: UUID) -> Bool { [0x1800, 0x1801].contains(type.uuid16) }

    private mutating func unique(_ wanted: String) -> String {
        let base = ProfileName.make(from: wanted)
        var name = base
        var number = 2
        while !names.insert(name).inserted {
            name = "\(base)_\(number)"
            number += 1
        }
        return name
    }

    // MARK: - Evidence

    private mutating func addEvidence() {
        let service = ownService
        if let service { addEvidence(.service(service), 100) }
        if !device.name.isEmpty { addEvidence(.name(Self.pattern(of: device.name)), 60) }
        for data in device.advertised where !general.read(data) {
            // Next to a vendor-specific service, advertised data is not sufficient evidence: another device may send
            // the same.
            for prefix in Self.beginnings(of: data.values) { addEvidence(data.owner, prefix, service == nil ? 60 : 30) }
        }
        for service in device.services where AssignedNumbers.member(service) != nil {
            addEvidence(.service(service), 30)
        }
        if !isRecognized {
            // Data that devices of many vendors advertise identify one of them by the prefix that never changes.
            for data in device.advertised where general.read(data) {
                let prefix = Self.commonPrefix(data.values)
                if !prefix.isEmpty { addEvidence(data.owner, prefix, 60) }
            }
        }
        hasEvidence = isRecognized
        if !hasEvidence { addEvidence(.name("^\(draft.id)"), 60) }
    }

    private var isRecognized: Bool {
        draft.evidence.reduce(0) { $0 + $1.weight } >= Profile.Evidence.threshold
    }

    private mutating func addEvidence(_ sign: Profile.Evidence.Sign, _ weight: Int) {
        draft.evidence.append(ProfileDraft.Evidence(sign, weight: weight))
    }

    /// Evidence for data of an owner with this prefix. Without a prefix, the data of an owner with many devices are not
    /// sufficient evidence alone.
    private mutating func addEvidence(_ owner: GAP.DataOwner, _ prefix: [UInt8], _ weight: Int) {
        switch owner {
        case .company(let company):
            addEvidence(.manufacturer(company: company, prefix: prefix), prefix.isEmpty ? min(weight, 40) : weight)
        case .service(let uuid):
            let isOwn = uuid.uuid32 == nil || AssignedNumbers.member(uuid) != nil
            addEvidence(.serviceData(uuid, prefix: prefix), prefix.isEmpty && !isOwn ? min(weight, 40) : weight)
        }
    }

    /// The distinct first bytes of values, if there are few: most formats begin with a type or version byte. A short
    /// capture cannot show whether the following bytes are constant.
    private static func beginnings(of values: [[UInt8]]) -> [[UInt8]] {
        let first = Set(values.map { Array($0.prefix(1)) })
        if first.contains([]) || first.count > beginningLimit { return [[]] }
        return first.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func commonPrefix(_ values: [[UInt8]]) -> [UInt8] {
        values.dropFirst().reduce(values.first ?? []) { prefix, value in
            Array(zip(prefix, value).prefix { $0 == $1 }.map(\.0))
        }
    }

    /// The first service specific to this vendor: it has a 128-bit UUID and, if its characteristics are known, one that
    /// no general plugin decodes.
    private var ownService: UUID? {
        if !device.isServer {
            return device.services.first { $0.uuid32 == nil && !general.services.contains($0) }
        }
        return device.table.services.first { service in
            service.type.uuid32 == nil
                && characteristics(of: service).contains { !general.attributes.contains($0.type) }
        }?.type
    }

    private func characteristics(of service: GATT.Table.Service) -> [GATT.Table.Characteristic] {
        device.table.characteristics.filter { (service.start...service.end).contains($0.declaration) }
    }

    /// A regular expression for names like this one: the number at the end differs between devices. It is decimal or,
    /// if it has as many digits as part of an address, hexadecimal.
    static func pattern(of name: String) -> String {
        let digits = name.reversed().prefix { $0.isHexDigit && $0.isASCII }
        let before = name.dropLast(digits.count)
        guard digits.contains(where: \.isNumber), let last = before.last, "-_ :".contains(last) else {
            return "^\(escaped(name[...]))$"
        }
        let set: String
        switch digits.count {
        case 4, 6, 8, 12: set = digits.contains { $0.isLowercase } ? "0-9a-f" : "0-9A-F"
        case 2... where digits.allSatisfy(\.isNumber): set = "0-9"
        default: return "^\(escaped(name[...]))$"
        }
        return "^\(escaped(before))[\(set)]{\(digits.count)}$"
    }

    private static func escaped(_ text: Substring) -> String {
        text.unicodeScalars.map { #"\^$.|?*+()[]{}"#.unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    // MARK: - Attributes

    private mutating func add(_ service: GATT.Table.Service) {
        let standard = AssignedNumbers.service(service.type)
        let characteristics = characteristics(of: service)
        let isKnown = characteristics.contains { general.attributes.contains($0.type) }
        services += 1
        var entry = ProfileDraft.Service(
            uuid: service.type, name: unique(standard ?? (services == 1 ? "service" : "service_\(services)")),
            comment: isKnown ? "Values without a type here are read by the plugin \"standard\"." : nil)
        for characteristic in characteristics {
            let standard = AssignedNumbers.characteristic(characteristic.type)
            if standard == nil { unnamed += 1 }
            let name = unique(
                device.descriptions[characteristic.type].flatMap { $0.isEmpty ? nil : $0 }
                    ?? standard ?? "characteristic_\(unnamed)")
            var line = ProfileDraft.Characteristic(
                uuid: characteristic.type, name: name, properties: characteristic.properties)
            if !general.attributes.contains(characteristic.type) {
                line.values = addTypes(of: device.values[characteristic.type] ?? [], name: name)
            }
            entry.characteristics.append(line)
        }
        draft.services.append(entry)
    }

    // MARK: - Advertised data

    private mutating func add(_ data: CaptureSurvey.AdvertisedData) {
        let (name, title, owner) =
            switch data.owner {
            case .company(let company): ("manufacturer_data", "Manufacturer data", AssignedNumbers.company(company))
            case .service(let uuid): ("service_data", "Service data", AssignedNumbers.name(uuid))
            }
        let values = data.values.filter { !$0.isEmpty }
        if values.isEmpty { return }
        let type = unique(name)
        let types = addTypes(of: values, name: type, form: Self.bytes)
        draft.advertising.append(
            ProfileDraft.Advertised(
                data.owner, values: types, comment: "\(title)\(owner.map { " of \($0)" } ?? "")"))
        for (length, type) in types {
            let values = values.filter { length == nil || $0.count == length }
            let title = length.map { "\(title) of \($0.counted("byte"))" } ?? title
            addRules(values, type: type, title: title, isChosen: length != nil)
        }
    }

    /// Rules for the common properties of all values of a type. A type selected by its length needs no length rule.
    private mutating func addRules(_ values: [[UInt8]], type: String, title: String, isChosen: Bool) {
        let lengths = values.map(\.count)
        if !isChosen, let least = lengths.min(), let most = lengths.max() {
            draft.rules.append(ProfileDraft.Rule(type: type, title: title, .length(least...most)))
        }
        let first = Self.beginnings(of: values).compactMap(\.first)
        if !first.isEmpty { draft.rules.append(ProfileDraft.Rule(type: type, title: title, .firstByte(first))) }
    }

    // MARK: - Types

    /// Adds types for the values seen; returns the lengths that select them.
    private mutating func addTypes(of values: [[UInt8]], name: String) -> [ProfileDraft.TypeOfLength] {
        let values = values.filter { !$0.isEmpty }
        if values.isEmpty { return [] }
        if values.allSatisfy(Self.isText) {
            add(name, DraftField(name, type: "string"), values)
            return [(nil, name)]
        }
        return addTypes(of: values, name: name) { type, length in
            [1, 2, 4].contains(length) ? DraftField(type, type: "u\(8 * length)") : Self.bytes(type, length)
        }
    }

    /// Adds one type per length of values, or a single type if there are too many lengths.
    private mutating func addTypes(
        of values: [[UInt8]], name: String, form: (_ type: String, _ length: Int) -> DraftField
    ) -> [ProfileDraft.TypeOfLength] {
        let lengths = Set(values.map(\.count)).sorted()
        if lengths.count > Self.lengths {
            add(name, DraftField("data", type: "bytes"), values)
            return [(nil, name)]
        }
        return lengths.map { length in
            let type = lengths.count == 1 ? name : "\(name)_\(length)_bytes"
            add(type, form(type, length), values.filter { $0.count == length })
            return (lengths.count == 1 ? nil : length, type)
        }
    }

    private static func bytes(_ type: String, _ length: Int) -> DraftField {
        DraftField("data", type: "bytes", keys: [("length", "\(length)")])
    }

    private mutating func add(_ name: String, _ field: DraftField, _ values: [[UInt8]]) {
        draft.types.append(
            DraftType(name: name, form: field.type == "bytes" ? .structure([field]) : .scalar(field)))
        draft.samples += values.prefix(Self.samples).map { ProfileDraft.Sample(type: name, bytes: $0) }
    }

    /// Whether a value is text: at least four bytes, all of them printable ASCII.
    private static func isText(_ value: [UInt8]) -> Bool {
        value.count >= 4 && value.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
