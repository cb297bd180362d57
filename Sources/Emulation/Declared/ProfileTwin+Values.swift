import Bluetooth
import Bytes
import Profile

/// Encoding of values and evaluation of conditions.
extension ProfileTwin {
    /// The encoded value; nil if its type cannot encode it, or if the request lacks a field that the value refers to.
    mutating func bytes(
        of source: EmulationDefinition.ValueSource, for name: String, key: GeneratorKey?,
        answering request: Value? = nil
    ) -> [UInt8]? {
        let operation: OperationKind = readers[name]?.layouts(for: .notify).isEmpty == false ? .notify : .read
        let current = values[name] ?? []
        return bytes(of: source, after: current, layout(of: current, operation, name), key, request)
    }

    /// The encoded advertised data; nil if their type cannot encode them.
    mutating func bytes(of data: EmulationDefinition.AdvertisedData, key: GeneratorKey?) -> [UInt8]? {
        let current = advertised.first { $0.carrier == data.carrier }?.value ?? []
        let readers = profile.advertising.filter { .data($0.carrier) == data.carrier }
        let layout = readers.lazy.compactMap { $0.layout(of: current.span.rawBytes, in: NoContext()) }.first
        return bytes(of: data.value, after: current, layout, key, nil)
    }

    private mutating func bytes(
        of source: EmulationDefinition.ValueSource, after current: [UInt8], _ layout: Layout?, _ key: GeneratorKey?,
        _ request: Value?
    ) -> [UInt8]? {
        switch source {
        case .bytes(let bytes): return bytes
        case .value(let value, let type):
            guard let value = value.answering(request ?? .absent) else { return nil }
            return try? profile.types[type]?.encode(value)
        case .generated(let generator):
            guard let key, let layout, var value = try? layout.decode(current) else { return nil }
            let next = generators[key, default: ValueGenerator(generator)].next(using: &random)
            return value.replace(generator.field.split(separator: ".")[...], by: next) ? try? layout.encode(value) : nil
        }
    }

    /// Whether a condition holds for a value of a characteristic. Without a name, the value has no fields.
    func holds(_ condition: Expression, _ operation: OperationKind, _ name: String?, _ value: [UInt8]) -> Bool {
        let context = DeviceValueContext(written: written, characteristics: Set(readers.keys))
        let layout = name.flatMap { self.layout(of: value, operation, $0) }
        let fields = layout?.decodeUpToUnknownCase(value) ?? .absent
        return condition.holds(over: value.span.rawBytes, in: ValueScope(fields, in: context))
    }

    /// The decoded fields of a value; nil if it has no type.
    func decoded(_ value: [UInt8], _ operation: OperationKind, _ name: String) -> Value? {
        layout(of: value, operation, name)?.decodeUpToUnknownCase(value)
    }

    private func layout(of value: [UInt8], _ operation: OperationKind, _ name: String) -> Layout? {
        let context = DeviceValueContext(written: written, characteristics: Set(readers.keys))
        return readers[name]?.layout(for: operation, value: value.span.rawBytes, in: context)
    }
}

/// The context of a value on an emulated device.
struct DeviceValueContext: PayloadContext {
    let written: WrittenValues
    let characteristics: Set<String>

    func written(to characteristic: String, at offset: Int) -> UInt8? {
        written.byte(at: offset, of: characteristic)
    }

    func has(_ characteristic: String) -> Bool? { characteristics.contains(characteristic) }
}

extension Value {
    /// Replaces the field at a path through nested records; returns false if there is no such field.
    fileprivate mutating func replace(_ path: ArraySlice<Substring>, by new: Value) -> Bool {
        guard let name = path.first else {
            self = new
            return true
        }
        guard case .record(var record) = self,
            let index = record.fields.firstIndex(where: { $0.name == name }),
            record.fields[index].value.replace(path.dropFirst(), by: new)
        else { return false }
        self = .record(record)
        return true
    }
}

/// A sequence of generated field values and the position in it.
struct ValueGenerator: Sendable {
    private let form: EmulationDefinition.Generator.Form
    private var index: UInt64 = 0

    init(_ generator: EmulationDefinition.Generator) {
        form = generator.form
    }

    mutating func next(using random: inout SplitMix64) -> Value {
        defer { index += 1 }
        switch form {
        case .cycle(let values): return values.isEmpty ? .absent : values[Int(index % UInt64(values.count))]
        case .ramp(let first, let last, let step):
            // As many whole steps as fit, then start again from the first value.
            let steps = max(0, ((last - first) / step).rounded(.down))
            let position = Double(index).truncatingRemainder(dividingBy: steps + 1)
            return Self.number(first + position * step)
        case .random(let range):
            let number = Double.random(in: range, using: &random)
            let isWhole = [range.lowerBound, range.upperBound].allSatisfy { $0 == $0.rounded() }
            return Self.number(isWhole ? number.rounded() : number)
        }
    }

    private static func number(_ number: Double) -> Value {
        Int64(exactly: number).map { .integer($0) } ?? .real(number)
    }
}
