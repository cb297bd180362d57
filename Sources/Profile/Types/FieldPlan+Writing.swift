import Bluetooth
import Bytes

// Conversion of values to raw numbers and bytes.
extension FieldPlan {
    /// The raw number of a value.
    func raw(of value: Value, path: String) throws(EncodeError) -> UInt64 {
        switch value {
        case .named(let number, nil): return try fitting(number, path)
        case .named(let number, let name?):
            // The number takes precedence, unless the name was changed and no longer matches it.
            if self.value(number) == value { return try fitting(number, path) }
            return try raw(named: name, path: path)
        case .text(let text): return try raw(named: text, path: path)
        case .time(let number, let nanoseconds):
            if let time { return try raw(of: nanoseconds, time, path) }
            return try whole(Int128(number), path)
        case .boolean(let boolean):
            guard kind == .boolean || isBoolean else { break }
            return boolean ? 1 : 0
        case .integer(let number):
            if takesReals { return try raw(of: Double(number), path) }
            return try whole(Int128(number), path)
        case .unsigned(let number):
            if takesReals { return try raw(of: Double(number), path) }
            return try whole(Int128(number), path)
        case .real(let number):
            if takesReals { return try raw(of: number, path) }
            if let number = Int128(exactly: number) { return try whole(number, path) }
        case .bytes, .list, .record, .absent: break
        }
        throw EncodeError(path, "expected \(expectation), found \(value.words)")
    }

    /// Whether values may have fractions.
    private var takesReals: Bool { kind == .float || kind == .medical || scale != nil }

    private var expectation: String {
        switch kind {
        case .boolean: "true or false"
        case .enumeration: "a name or a number"
        case .address: "an address: aa:bb:cc:dd:ee:ff"
        case .uuid: "a UUID"
        case .part where isBoolean: "true or false"
        default: "a number"
        }
    }

    /// Checks that a raw number fits the field's width.
    private func fitting(_ raw: UInt64, _ path: String) throws(EncodeError) -> UInt64 {
        guard raw <= mask else { throw EncodeError(path, "\(raw) needs more than \(width) bits") }
        return raw
    }

    /// The bits of an integer.
    private func whole(_ number: Int128, _ path: String) throws(EncodeError) -> UInt64 {
        if kind == .address || kind == .uuid { throw EncodeError(path, "expected \(expectation), found \(number)") }
        let half = Int128(1) << (width - 1)
        let range = isSigned ? -half...(half - 1) : 0...(2 * half - 1)
        guard range.contains(number) else {
            throw EncodeError(path, "expected \(range.lowerBound) to \(range.upperBound), found \(number)")
        }
        return UInt64(truncatingIfNeeded: number) & mask
    }

    /// The raw number with the nearest value.
    private func raw(of number: Double, _ path: String) throws(EncodeError) -> UInt64 {
        switch kind {
        case .float:
            let raw = FloatFormat.raw(number, bytes: size)
            if number.isFinite, !FloatFormat.double(raw, bytes: size).isFinite {
                throw EncodeError(path, "\(number) is too large for \(size) bytes")
            }
            return raw
        case .medical:
            guard let raw = MedicalFormat.raw(number, bytes: size) else {
                throw EncodeError(path, "\(number) is too large for \(size) bytes")
            }
            return raw
        default:
            let raw = scale?.raw(of: number) ?? number
            guard let whole = Int128(exactly: raw) else {
                throw EncodeError(path, "\(number) has no place in the scale")
            }
            return try self.whole(whole, path)
        }
    }

    /// Parses the name of a value, a time, an address, a UUID or an integer; JSON has integers beyond 2^53 as strings.
    private func raw(named text: String, path: String) throws(EncodeError) -> UInt64 {
        if let (raw, _) = names.first(where: { $0.value == text }) { return raw }
        switch kind {
        case .medical: if let raw = MedicalFormat.raw(named: text, bytes: size) { return raw }
        case .address: if let address = Address(text) { return address.value }
        case .uuid: if let short = UUID(text)?.uuid16 { return UInt64(short) }
        default:
            if let time, let nanoseconds = ISO8601.nanoseconds(text) { return try raw(of: nanoseconds, time, path) }
            guard kind != .boolean, !isBoolean, !takesReals, let number = Int128(text) else { break }
            return try whole(number, path)
        }
        let meant = Advice.meant(text, among: names.values.sorted())
        throw EncodeError(path, "expected \(expectation), found \"\(text)\"\(meant)")
    }

    /// The raw number of a point in time.
    private func raw(of nanoseconds: Int64, _ time: (epoch: Int64, step: Int64), _ path: String) throws(EncodeError)
        -> UInt64
    {
        let since = Int128(nanoseconds) - Int128(time.epoch) * 1_000_000_000
        guard since.isMultiple(of: Int128(time.step)) else {
            throw EncodeError(path, "the time lies between two steps of \(time.step) ns")
        }
        return try whole(since / Int128(time.step), path)
    }

    /// The bytes of a text or of a bytes value.
    func bytes(of value: Value, path: String) throws(EncodeError) -> [UInt8] {
        switch (kind, value) {
        case (.text(let end), .text(let text)):
            if end != .length, text.utf8.contains(0) { throw EncodeError(path, "expected a text without NUL") }
            return Array(text.utf8)
        case (_, .bytes(let bytes)): return bytes
        case (.bytes, .text(let hex)):
            if let bytes = Self.bytes(hex: hex) { return bytes }
        case (.bytes, .list(let elements)):
            let bytes = elements.compactMap { if case .integer(let byte) = $0 { UInt8(exactly: byte) } else { nil } }
            if bytes.count == elements.count { return bytes }
        default: break
        }
        throw EncodeError(path, "expected \(kind == .bytes ? "bytes in hexadecimal" : "a text"), found \(value.words)")
    }

    /// Parses hexadecimal digits, ignoring spaces.
    private static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.filter { $0 != " " }.map(\.hexDigitValue)
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let nibbles = digits.compactMap { $0 }
        return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }

    /// The bytes of a 128-bit UUID, little-endian.
    func uuidBytes(of value: Value, path: String) throws(EncodeError) -> [UInt8] {
        guard case .text(let text) = value, let uuid = UUID(text) else {
            throw EncodeError(path, "expected a UUID, found \(value.words)")
        }
        return ByteWriter.bytes { $0.write(uuid.value) }
    }
}

extension Value {
    /// Description of the value, for diagnostics.
    public var words: String {
        switch self {
        case .integer(let number), .time(let number, _): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let value): "\(value)"
        case .text(let text): "\"\(text)\""
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .named(let number, let name): name.map { "\"\($0)\"" } ?? "\(number)"
        case .list(let elements): "a list of \(elements.count)"
        case .record: "fields"
        case .absent: "nothing"
        }
    }
}
