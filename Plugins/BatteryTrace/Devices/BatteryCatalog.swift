import Bytes
import Profile

/// Nominal battery capacities by device model.
///
/// The shipped capacities are in `batteries.json`. A user's file of the same form adds and replaces entries.
public struct BatteryCatalog: Sendable {
    /// A device's battery.
    public struct Entry: Hashable, Sendable {
        /// Common name of the device: `iPhone 15 Pro`.
        public var name: String?
        /// Nominal capacity in mAh.
        public var capacity: Double
        /// Nominal voltage in V; nil for the usual one.
        public var voltage: Double?
        /// Source of the figure.
        public var source: String?
    }

    /// An error in a catalogue.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// Place in the document, `iPhone16,1.capacity_mAh`, or line and column; empty without a single place.
        public var place: String
        /// Expected and found content.
        public var text: String

        public var description: String { place.isEmpty ? text : "\(place): \(text)" }
    }

    /// By model identifier: `iPhone16,1`.
    public private(set) var entries: [String: Entry] = [:]

    /// Capacities that a battery can have, in mAh: from an earbud's to a scooter's.
    public static let capacityRange = 1.0...100_000.0

    /// The shipped catalogue.
    public static func shipped() throws(Fault) -> BatteryCatalog {
        try BatteryCatalog(json: PackageResources.batteries_json)
    }

    /// Reads a catalogue: an object with a member for each model.
    public init(json bytes: [UInt8]) throws(Fault) {
        let document: JSONValue
        do throws(JSONValue.Fault) {
            document = try JSONValue(reading: bytes)
        } catch {
            throw Fault(place: "line \(error.line), column \(error.column)", text: "expected \(error.expected)")
        }
        guard case .object(let models) = document else { throw Fault(place: "", text: "expected an object") }
        for model in models { entries[model.name] = try Entry(model.value, at: model.name) }
    }

    /// Adds all entries of another catalogue, which take precedence.
    public mutating func override(with other: BatteryCatalog) {
        entries.merge(other.entries) { _, other in other }
    }

    /// The battery of a model, by its identifier or its common name, ignoring case.
    public func entry(for model: String) -> Entry? {
        if let entry = entries[model] { return entry }
        let wanted = model.lowercased()
        return entries.sorted { $0.key < $1.key }
            .first { $0.key.lowercased() == wanted || $0.value.name?.lowercased() == wanted }?.value
    }

    /// Models whose name or identifier is similar to `model`.
    public func models(like model: String) -> [String] {
        Spelling.nearest(to: model, among: entries.keys.sorted() + entries.values.compactMap(\.name).sorted())
    }
}

extension BatteryCatalog.Entry {
    private static let names = ["name", "capacity_mAh", "voltage_V", "source"]

    /// Reads an entry; `model` is its place in the document.
    fileprivate init(_ value: JSONValue, at model: String) throws(BatteryCatalog.Fault) {
        guard case .object(let members) = value else {
            throw BatteryCatalog.Fault(place: model, text: "expected an object with \"capacity_mAh\"")
        }
        var capacity: Double?
        for member in members {
            let place = "\(model).\(member.name)"
            switch (member.name, member.value) {
            case ("name", .string(let text)): name = text
            case ("source", .string(let text)): source = text
            case ("capacity_mAh", .integer(let number)): capacity = Double(number)
            case ("capacity_mAh", .number(let number)): capacity = number
            case ("voltage_V", .integer(let number)): voltage = Double(number)
            case ("voltage_V", .number(let number)): voltage = number
            case ("voltage_V", _): throw BatteryCatalog.Fault(place: place, text: "expected a number of V")
            case ("capacity_mAh", _): throw BatteryCatalog.Fault(place: place, text: "expected a number of mAh")
            case ("name", _), ("source", _): throw BatteryCatalog.Fault(place: place, text: "expected a text")
            default:
                let names = Self.names.joined(separator: ", ")
                throw BatteryCatalog.Fault(place: place, text: "expected only the members \(names)")
            }
        }
        guard let capacity else { throw BatteryCatalog.Fault(place: model, text: "has no \"capacity_mAh\"") }
        guard BatteryCatalog.capacityRange.contains(capacity) else {
            throw BatteryCatalog.Fault(
                place: "\(model).capacity_mAh", text: "expected mAh from 1 to 100000; found \(capacity)")
        }
        self.capacity = capacity
        guard let voltage else { return }
        let range = EstimateSettings.voltageRange
        guard range.contains(voltage) else {
            throw BatteryCatalog.Fault(
                place: "\(model).voltage_V",
                text: "expected V from \(Int(range.lowerBound)) to \(Int(range.upperBound)); found \(voltage)")
        }
    }
}
