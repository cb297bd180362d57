package import BluetoothTypes
import GATT
package import PluginKit

extension CaptureSurvey.Device {
    /// The draft of a profile for devices like this one; `known` are attributes whose values another plugin reads.
    package func draft(id: String, file: String, known: Set<UUID> = []) -> ProfileDraft {
        var maker = CaptureDraft(self, id: id, known: known)
        maker.make()
        let name = file.split(separator: "/").last.map(String.init) ?? file
        maker.draft.remarks = [
            "Made from \(name): what \(title) showed there.",
            "To do: give names, take the bytes apart into fields, add units and ranges.",
        ]
        if !maker.hasEvidence {
            maker.draft.remarks.append("Nothing there tells the device from others: correct section match.")
        }
        maker.draft.remarks.append("Then: gattbench plugins lint --strict profile.yaml")
        return maker.draft
    }

    /// What to call it in messages.
    package var title: String {
        let address = address?.address.description
        return name.isEmpty ? address ?? "a device without name" : "\"\(name)\"" + (address.map { " (\($0))" } ?? "")
    }
}

/// Makes a draft of what a capture shows of a device.
private struct CaptureDraft {
    private let device: CaptureSurvey.Device
    private let known: Set<UUID>
    var draft: ProfileDraft
    private var names: Set<String> = []
    private var services = 0
    /// Characteristics of which nobody says what they are called.
    private var unnamed = 0

    /// Values of each type that become vectors.
    private static let samples = 3
    /// Lengths that are told apart; values of more are bytes of any length.
    private static let lengths = 4

    init(_ device: CaptureSurvey.Device, id: String, known: Set<UUID>) {
        self.device = device
        self.known = known
        draft = ProfileDraft(id: id)
    }

    mutating func make() {
        for service in device.table.services where !Self.isOfEveryStack(service.type) { add(service) }
        draft.evidence = evidence
    }

    /// Generic Access and Generic Attribute, which tell nothing of the device.
    private static func isOfEveryStack(_ type: UUID) -> Bool { [0x1800, 0x1801].contains(type.uuid16) }

    private mutating func unique(_ wanted: String) -> String {
        let base = ProfileDraft.name(of: wanted)
        var name = base
        var number = 2
        while !names.insert(name).inserted {
            name = "\(base)_\(number)"
            number += 1
        }
        return name
    }

    // MARK: - What tells the device

    private var evidence: [ProfileDraft.Evidence] {
        let name = device.name.isEmpty ? "^\(draft.id)" : Self.pattern(of: device.name)
        let service = ownService
        return (service.map { [.service($0)] } ?? []) + (device.name.isEmpty && service != nil ? [] : [.name(name)])
    }

    /// Whether something tells the device from others.
    var hasEvidence: Bool { !device.name.isEmpty || ownService != nil }

    /// The first service that no other maker's devices have: one that has a long UUID, and values that nobody knows.
    private var ownService: UUID? {
        device.table.services.first { service in
            service.type.uuid32 == nil && characteristics(of: service).contains { !known.contains($0.type) }
        }?.type
    }

    private func characteristics(of service: GATT.Table.Service) -> [GATT.Table.Characteristic] {
        device.table.characteristics.filter { (service.start...service.end).contains($0.declaration) }
    }

    /// A regular expression for names like this one: a number at the end differs from device to device, decimal or, with
    /// the digits of an address, hexadecimal.
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
        text.map { #"\^$.|?*+()[]{}"#.contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    // MARK: - Attributes

    private mutating func add(_ service: GATT.Table.Service) {
        let standard = AssignedNumbers.service(service.type)
        let characteristics = characteristics(of: service)
        let isKnown = characteristics.contains { known.contains($0.type) }
        services += 1
        var entry = ProfileDraft.Service(
            uuid: service.type, name: unique(standard ?? (services == 1 ? "service" : "service_\(services)")),
            remark: isKnown ? "Values without a type here are read by the plugin \"standard\"." : nil)
        for characteristic in characteristics {
            let standard = AssignedNumbers.characteristic(characteristic.type)
            if standard == nil { unnamed += 1 }
            let name = unique(
                device.descriptions[characteristic.type].flatMap { $0.isEmpty ? nil : $0 }
                    ?? standard ?? "characteristic_\(unnamed)")
            var line = ProfileDraft.Characteristic(
                uuid: characteristic.type, name: name, properties: characteristic.properties)
            if !known.contains(characteristic.type) {
                line.values = addTypes(of: device.values[characteristic.type] ?? [], name: name)
            }
            entry.characteristics.append(line)
        }
        draft.services.append(entry)
    }

    // MARK: - Types

    /// Types for the values that were seen; gives the lengths that choose them.
    private mutating func addTypes(of values: [[UInt8]], name: String) -> [(length: Int?, type: String)] {
        let values = values.filter { !$0.isEmpty }
        if values.isEmpty { return [] }
        let lengths = Set(values.map(\.count)).sorted()
        if values.allSatisfy(Self.isText) {
            add(name, DraftField(name, type: "string"), values)
            return [(nil, name)]
        }
        if lengths.count > Self.lengths {
            add(name, DraftField("data", type: "bytes"), values)
            return [(nil, name)]
        }
        return lengths.map { length in
            let type = lengths.count == 1 ? name : "\(name)_\(length)_bytes"
            let field =
                [1, 2, 4].contains(length)
                ? DraftField(type, type: "u\(8 * length)")
                : DraftField("data", type: "bytes", keys: [("length", "\(length)")])
            add(type, field, values.filter { $0.count == length })
            return (lengths.count == 1 ? nil : length, type)
        }
    }

    private mutating func add(_ name: String, _ field: DraftField, _ values: [[UInt8]]) {
        draft.types.append(
            DraftType(name: name, form: field.type == "bytes" ? .structure([field]) : .scalar(field)))
        draft.samples += values.prefix(Self.samples).map { ProfileDraft.Sample(type: name, bytes: $0) }
    }

    /// Four letters or more, and nothing that is not printed.
    private static func isText(_ value: [UInt8]) -> Bool {
        value.count >= 4 && value.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
