/// Encodes Swift values as profile values, which a type can then encode as bytes: the inverse of `RecordDecoder`.
///
/// Members become fields with the profile's names, and nil becomes absent. Numbers and texts represent enumerations and
/// times as `Layout.encode` accepts them.
public struct RecordEncoder {
    public init() {}

    public func encode(_ value: some Encodable) throws -> Value {
        let encoding = ValueEncoding([])
        try encoding.wrap(value)
        return encoding.value
    }
}

/// Builder of one value, which may be nested in another.
private final class ValueEncoding: Encoder {
    private enum Content {
        case single(Value)
        case record([(name: String, place: ValueEncoding)])
        case list([ValueEncoding])
    }

    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private var content = Content.single(.absent)

    init(_ codingPath: [any CodingKey]) {
        self.codingPath = codingPath
    }

    /// The value encoded so far.
    var value: Value {
        switch content {
        case .single(let value): return value
        case .record(let fields):
            var record = Record()
            record.fields = fields.map { ($0.name, $0.place.value) }
            return .record(record)
        case .list(let elements): return .list(elements.map(\.value))
        }
    }

    func set(_ value: Value) { content = .single(value) }

    func wrap(_ value: some Encodable) throws {
        // Compare the types: an empty array of another element type could be cast to `[UInt8]`.
        if type(of: value) == [UInt8].self, let bytes = value as? [UInt8] {
            set(.bytes(bytes))
        } else {
            try value.encode(to: self)
        }
    }

    /// Adds a field and makes this value a record.
    func field(_ key: some CodingKey) -> ValueEncoding {
        let place = ValueEncoding(codingPath + [key])
        if case .record(var fields) = content {
            content = .single(.absent)
            fields.append((key.fieldName, place))
            content = .record(fields)
        } else {
            content = .record([(key.fieldName, place)])
        }
        return place
    }

    /// Adds an element and makes this value a list.
    func element() -> ValueEncoding {
        let place = ValueEncoding(codingPath + [FieldKey(intValue: elementCount)])
        if case .list(var elements) = content {
            content = .single(.absent)
            elements.append(place)
            content = .list(elements)
        } else {
            content = .list([place])
        }
        return place
    }

    var elementCount: Int { if case .list(let elements) = content { elements.count } else { 0 } }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .record = content {} else { content = .record([]) }
        return KeyedEncodingContainer(RecordContainer<Key>(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .list = content {} else { content = .list([]) }
        return ListContainer(encoding: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoding: SingleValueEncodingContainer {
    func encodeNil() { set(.absent) }
    func encode(_ value: Bool) { set(.boolean(value)) }
    func encode(_ value: String) { set(.text(value)) }
    func encode(_ value: Double) { set(.real(value)) }
    /// The shortest decimal representation, as decoding yields it.
    func encode(_ value: Float) { set(.real(Double(String(value)) ?? Double(value))) }
    func encode(_ value: Int) { set(.integer(Int64(value))) }
    func encode(_ value: Int8) { set(.integer(Int64(value))) }
    func encode(_ value: Int16) { set(.integer(Int64(value))) }
    func encode(_ value: Int32) { set(.integer(Int64(value))) }
    func encode(_ value: Int64) { set(.integer(value)) }
    func encode(_ value: UInt) { encode(UInt64(value)) }
    func encode(_ value: UInt8) { set(.integer(Int64(value))) }
    func encode(_ value: UInt16) { set(.integer(Int64(value))) }
    func encode(_ value: UInt32) { set(.integer(Int64(value))) }
    func encode(_ value: UInt64) { set(Int64(exactly: value).map { .integer($0) } ?? .unsigned(value)) }
    func encode<Content: Encodable>(_ value: Content) throws { try wrap(value) }
}

private struct RecordContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: ValueEncoding
    var codingPath: [any CodingKey] { encoding.codingPath }

    func encodeNil(forKey key: Key) { encoding.field(key).encodeNil() }
    func encode<Content: Encodable>(_ value: Content, forKey key: Key) throws { try encoding.field(key).wrap(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<
        Nested
    > {
        encoding.field(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoding.field(key).unkeyedContainer()
    }

    /// The record itself, as for decoding.
    func superEncoder() -> any Encoder { encoding }
    func superEncoder(forKey key: Key) -> any Encoder { encoding.field(key) }
}

private struct ListContainer: UnkeyedEncodingContainer {
    let encoding: ValueEncoding
    var codingPath: [any CodingKey] { encoding.codingPath }
    var count: Int { encoding.elementCount }

    func encodeNil() { encoding.element().encodeNil() }
    func encode<Content: Encodable>(_ value: Content) throws { try encoding.element().wrap(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoding.element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoding.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoding.element() }
}
