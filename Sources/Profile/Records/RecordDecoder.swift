/// Decodes Swift values from profile values: a structure of a profile becomes a `Decodable` struct.
///
/// Members have the fields' names in camel case: `dailyTotal` for `daily_total`. An enumeration becomes an enum with
/// raw values, by number or by name. Bits become a struct of Booleans. A time becomes its raw number, a `Double` in
/// seconds since 1970, or an ISO 8601 `String`. An absent field is nil.
public struct RecordDecoder {
    public init() {}

    public func decode<Result: Decodable>(_ type: Result.Type = Result.self, from value: Value) throws -> Result {
        try ValueDecoding(value, []).unwrap(type)
    }
}

/// A value with its coding path.
private struct ValueDecoding: Decoder {
    let value: Value
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: Value, _ codingPath: [any CodingKey]) {
        self.value = value
        self.codingPath = codingPath
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .record(let record) = value else { throw mismatch(Record.self, "fields") }
        return KeyedDecodingContainer(RecordContainer<Key>(record: record, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch value {
        case .list(let elements): return ListContainer(elements: elements, codingPath: codingPath)
        case .bytes(let bytes):
            return ListContainer(elements: bytes.map { .integer(Int64($0)) }, codingPath: codingPath)
        default: throw mismatch([Value].self, "a list")
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "expected \(expected), found \(value.words)"))
    }

    func unwrap<Result: Decodable>(_ type: Result.Type) throws -> Result {
        if case .bytes(let bytes) = value, let bytes = bytes as? Result { return bytes }
        return try Result(from: self)
    }

    func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let number: Number?
        switch value {
        case .integer(let raw), .time(let raw, _): number = Number(exactly: raw)
        case .unsigned(let raw), .named(let raw, _): number = Number(exactly: raw)
        case .real(let real): number = Number(exactly: real)
        case .boolean(let boolean): number = boolean ? 1 : 0
        case .text, .bytes, .list, .record, .absent: throw mismatch(type, "a number")
        }
        if let number { return number }
        throw mismatch(type, "a number from \(Number.min) to \(Number.max)")
    }

    func real() throws -> Double {
        switch value {
        case .real(let number): return number
        case .integer(let number): return Double(number)
        case .unsigned(let number): return Double(number)
        case .time(_, let nanoseconds): return Double(nanoseconds) / 1_000_000_000
        case .boolean, .named, .text, .bytes, .list, .record, .absent: throw mismatch(Double.self, "a number")
        }
    }
}

extension ValueDecoding: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .absent }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch value {
        case .boolean(let boolean): return boolean
        case .integer(let number) where number == 0 || number == 1: return number == 1
        case .named(let number, _) where number <= 1: return number == 1
        default: throw mismatch(type, "true or false")
        }
    }

    func decode(_ type: String.Type) throws -> String {
        switch value {
        case .text(let text): return text
        // Text fields with invalid UTF-8 are kept as bytes.
        case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .named(_, let name?): return name
        case .time(_, let nanoseconds): return Value.text(ofTime: nanoseconds)
        default: throw mismatch(type, "a text or a name")
        }
    }

    func decode(_ type: Double.Type) throws -> Double { try real() }
    func decode(_ type: Float.Type) throws -> Float { Float(try real()) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode<Result: Decodable>(_ type: Result.Type) throws -> Result { try unwrap(type) }
}

/// The fields of a record.
private struct RecordContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let record: Record
    let codingPath: [any CodingKey]

    var allKeys: [Key] { record.fields.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { record[key] != nil }

    private func field(_ key: Key) throws -> ValueDecoding {
        if let value = record[key] { return ValueDecoding(value, codingPath + [key]) }
        let names = record.fields.map(\.name).joined(separator: ", ")
        throw DecodingError.keyNotFound(
            key, DecodingError.Context(codingPath: codingPath, debugDescription: "there is \(names)"))
    }

    func decodeNil(forKey key: Key) throws -> Bool { try field(key).decodeNil() }

    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        try field(key).unwrap(type)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try field(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try field(key).unkeyedContainer()
    }

    /// The record itself: a superclass reads the same fields.
    func superDecoder() throws -> any Decoder { ValueDecoding(.record(record), codingPath) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try field(key) }
}

/// The elements of a list.
private struct ListContainer: UnkeyedDecodingContainer {
    let elements: [Value]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [Value], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func element() throws -> ValueDecoding {
        let path = codingPath + [FieldKey(intValue: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Value.self, DecodingError.Context(codingPath: path, debugDescription: "the list ends here"))
        }
        return ValueDecoding(elements[currentIndex], path)
    }

    mutating func decodeNil() throws -> Bool {
        let isNil = try element().decodeNil()
        if isNil { currentIndex += 1 }
        return isNil
    }

    mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
        let result = try element().unwrap(type)
        currentIndex += 1
        return result
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        let container = try element().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try element().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try element()
        currentIndex += 1
        return decoder
    }
}

/// The name of a field or the index of an element, within a coding path.
struct FieldKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

extension CodingKey {
    /// The name in the profile: `daily_total` for `dailyTotal`.
    var fieldName: String {
        var name: [UInt8] = []
        for byte in stringValue.utf8 {
            guard (0x41...0x5A).contains(byte) else {
                name.append(byte)
                continue
            }
            if !name.isEmpty { name.append(0x5F) }
            name.append(byte | 0x20)
        }
        return String(decoding: name, as: UTF8.self)
    }
}

extension Record {
    /// The value of a field, by its Swift name or its profile name.
    subscript(key: some CodingKey) -> Value? { self[key.stringValue] ?? self[key.fieldName] }
}
