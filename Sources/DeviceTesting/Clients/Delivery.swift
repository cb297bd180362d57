import Bluetooth
import Bytes
import Emulation
import PluginKit
import Profile

/// Defines the records that a client must store: records in values of a characteristic, acknowledged by a write.
package struct DeliveryDefinition: Sendable {
    /// The value that contains records: its operation and characteristic.
    var operation: OperationKind
    var characteristic: String
    /// The list field of the records; nil where the value is one record.
    var list: String?
    /// Fields that identify a record.
    var key: [String]
    /// The characteristic whose write acknowledges, and the condition on the written value.
    var acknowledgement: String
    var condition: Expression?
    /// The field, in both the acknowledgement and the records, up to whose value records are acknowledged; nil for all
    /// records since the last acknowledgement. An acknowledgement without fields is the number itself.
    var through: String?
    /// The note by which the plugin's client reports a stored record; nil for none.
    var note: String?
}

extension ScriptForms {
    /// `{from: notify drink_data, list: records, key: [record_id], acknowledged: sync_control, where: …}`.
    var delivery: Form<DeliveryDefinition> {
        Form(mapping: "what a client stores") { keys in
            let name = Form<String>.word(words.characteristics.map { ($0, $0) })
            let operation = keys.take(
                "operation", .word([("notify", OperationKind.notify), ("indicate", .indicate), ("read", .read)]))
            let from = keys.require("from", name)
            let list = keys.take("list", .text)
            let key = keys.require("key", .list(of: .text))
            let acknowledgement = keys.require("acknowledged", name)
            let condition = keys.take("where", .condition)
            let through = keys.take("through", .text)
            let note = keys.take("note", .text)
            guard let from, let key, let acknowledgement else { return nil }
            return DeliveryDefinition(
                operation: operation ?? .notify, characteristic: from, list: list, key: key,
                acknowledgement: acknowledgement, condition: condition, through: through, note: note)
        }
    }
}

/// Tracks the records that a client has acknowledged and stored.
package struct Delivery: Sendable {
    private let definition: DeliveryDefinition
    private var reader: EventReader
    /// Whether the client reports what it stores: only the plugin's client does.
    var hasNotes = false
    /// Records sent by the device, by key; true if acknowledged.
    private var sent: [Key: Bool] = [:]
    /// Records sent since the last acknowledgement.
    private var open: [(key: Key, number: Int64?)] = []
    /// Number of times the plugin's client has reported each record as stored.
    private var stored: [Key: Int] = [:]
    /// Faults found so far.
    private(set) var faults: [Fault] = []

    typealias Key = [String]

    struct Fault: Hashable, Sendable {
        var expected: String
        var observed: String
    }

    /// Maximum number of records tracked; further records are not tested.
    private static let capacity = 1_000_000

    init(_ definition: DeliveryDefinition, _ profile: CompiledProfile) {
        self.definition = definition
        reader = EventReader(profile)
    }

    /// Handles an event of the device or of the plugin's client.
    mutating func take(_ event: EmulationEvent, from source: Scenario.Event.Source) {
        switch (source, event) {
        case (.client, .note(let note)) where note.name == definition.note:
            guard let key = key(of: reader.fields(of: event)) else { return }
            stored[key, default: 0] += 1
            if stored[key] == 2 { fail("a record stored once: \(words(key))", "stored twice") }
        case (.device, .value(definition.operation, definition.characteristic, _)): send(reader.fields(of: event))
        case (.device, .value(.write, definition.acknowledgement, let bytes)):
            let fields = reader.fields(of: event)
            let scope = ValueScope(fields)
            if definition.condition.map({ $0.holds(over: bytes.span.rawBytes, in: scope) }) ?? true {
                acknowledge(fields)
            }
        case (.device, .note(let note)) where note.name == "disconnected": open = []
        default: break
        }
        if source == .device { reader.follow(event) }
    }

    private mutating func send(_ value: Value) {
        var records = [value]
        if let list = definition.list {
            guard case .record(let fields) = value, case .list(let elements)? = fields[list] else { return }
            records = elements
        }
        for record in records where sent.count < Self.capacity {
            guard let key = key(of: record) else { continue }
            if sent[key] == nil { sent[key] = false }
            open.append((key, definition.through.flatMap { record.integer($0) }))
        }
    }

    private mutating func acknowledge(_ fields: Value) {
        let limit = definition.through.flatMap { fields.integer($0) ?? fields.plainText.flatMap { Int64($0) } }
        let isAcknowledged = { (number: Int64?) in
            if let limit, let number { number <= limit } else { true }
        }
        for (key, number) in open where isAcknowledged(number) {
            sent[key] = true
            if hasNotes, definition.note != nil, stored[key] == nil {
                fail("\(words(key)) stored before it is acknowledged", "acknowledged first")
            }
        }
        open.removeAll { isAcknowledged($0.number) }
    }

    /// Missing and surplus records in a file of the client's records.
    func compare(_ rows: [[String: String]]) -> [Fault] {
        var counts: [Key: Int] = [:]
        var faults: [Fault] = []
        for row in rows {
            let key = definition.key.map { row[$0] ?? "" }
            counts[key, default: 0] += 1
            if sent[key] == nil {
                faults.append(Fault(expected: "records that the device has sent", observed: words(key)))
            }
        }
        for (key, isAcknowledged) in sent.sorted(by: { Self.precedes($0.key, $1.key) }) {
            let count = counts[key] ?? 0
            if isAcknowledged, count == 0 {
                let expected = "\(words(key)), which was acknowledged, to be stored"
                faults.append(Fault(expected: expected, observed: "it is not"))
            } else if count > 1 {
                faults.append(Fault(expected: "a record stored once: \(words(key))", observed: "stored \(count) times"))
            }
        }
        return faults
    }

    /// Orders keys, comparing numbers by value.
    private static func precedes(_ one: Key, _ other: Key) -> Bool {
        one.lexicographicallyPrecedes(other) { one, other in
            if let one = Int64(one), let other = Int64(other) { one < other } else { one < other }
        }
    }

    /// Merges the records of another situation.
    mutating func add(_ other: Delivery) {
        sent.merge(other.sent) { $0 || $1 }
    }

    /// Names of the required columns.
    var columns: [String] { definition.key }

    private mutating func fail(_ expected: String, _ observed: String) {
        faults.append(Fault(expected: expected, observed: observed))
    }

    private func key(of value: Value) -> Key? {
        guard case .record(let record) = value else { return nil }
        let key = definition.key.compactMap { record[$0]?.plainText }
        return key.count == definition.key.count ? key : nil
    }

    /// `record_id 3, timestamp 1772434800`.
    private func words(_ key: Key) -> String {
        zip(definition.key, key).map { "\($0) \($1)" }.joined(separator: ", ")
    }
}

extension Value {
    /// A record's field as an integer; nil for anything else.
    fileprivate func integer(_ name: String) -> Int64? {
        guard case .record(let record) = self else { return nil }
        return record[name]?.plainText.flatMap { Int64($0) }
    }

    /// The value on the wire as text, without names and units.
    fileprivate var plainText: String? {
        switch self {
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .named(let number, _): "\(number)"
        case .time(let number, _): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .text(let text): text
        case .bytes, .list, .record, .absent: nil
        }
    }
}
