public import Bytes
import Synchronization

/// A type of a profile, ready to read, to make values of bytes and bytes of values.
public final class Layout: Sendable {
    /// The type's name in the profile.
    public let name: String
    /// Its place among the types of the profile.
    public let index: Int
    private let made = AtomicLazyReference<LayoutProgram>()
    private let make: @Sendable () -> LayoutProgram

    /// A type whose program is made when it is first asked for, by whichever thread that is.
    init(name: String, index: Int, making make: @escaping @Sendable () -> LayoutProgram) {
        self.name = name
        self.index = index
        self.make = make
    }

    convenience init(program: LayoutProgram, index: Int) {
        self.init(name: program.name, index: index) { program }
    }

    /// If two threads ask at once, both make it and one of the two is kept: fields are compared by their identity.
    var program: LayoutProgram { made.load() ?? made.storeIfNil(make()) }

    /// Tells it from other types, of whatever profile.
    public var id: ObjectIdentifier { ObjectIdentifier(self) }
    public var title: String { program.title }
    /// The group that the fields of a value lie in; of a type that is a single field, that field.
    public var group: Field { program.group }
    /// Smallest and largest length that a value can have; `Int.max` where there is no largest.
    public var lengths: ClosedRange<Int> { program.lengths }

    /// Every field and group that values record.
    var fields: [Field] { program.fields }

    /// The field at a path within the type; nil where values have none.
    public func field(at path: String) -> Field? {
        let name = "\(group.name).\(path)"
        return program.instructions.first { $0.field.name == name }?.field
    }

    /// Reads a value, leaving its fields in the reader's recorder. What is not as the profile says and does not keep the
    /// value from being read becomes a remark; bytes after the value are one, and are left unread.
    public func read(_ reader: inout ByteReader, remarks: inout [Diagnostic]) throws(DecodeError) {
        var list = RemarkList(isWanted: true)
        swap(&remarks, &list.remarks)
        defer { swap(&remarks, &list.remarks) }
        try run(&reader, &list)
    }

    /// The same without remarks.
    public func read(_ reader: inout ByteReader) throws(DecodeError) {
        var list = RemarkList(isWanted: false)
        try run(&reader, &list)
    }

    private func run(_ reader: inout ByteReader, _ list: inout RemarkList) throws(DecodeError) {
        var sink = NoSink()
        let program = program
        guard program.isRecord else {
            try program.read(&reader, into: &sink, remarks: &list)
            return remarkRest(reader, &list)
        }
        let recorder = reader.recorder
        let group = reader.begin(program.group)
        do throws(DecodeError) {
            try program.read(&reader, into: &sink, remarks: &list)
        } catch {
            recorder?.close(group)
            throw error
        }
        reader.end(group)
        remarkRest(reader, &list)
    }

    private func remarkRest(_ reader: borrowing ByteReader, _ list: inout RemarkList) {
        guard !reader.isAtEnd else { return }
        let count = reader.remaining
        let offset = reader.offset
        list.add(Diagnostic(.warning, group.name, offset: offset, "\(title): \(count.counted("byte")) left over"))
    }

    /// The value that the bytes stand for; those after it are left unread.
    public func decode(_ reader: inout ByteReader) throws(DecodeError) -> Value {
        var list = RemarkList(isWanted: false)
        let program = program
        var sink = ValueBuilder(isRecord: program.isRecord)
        try program.read(&reader, into: &sink, remarks: &list)
        return sink.value()
    }

    /// The value that `bytes` stand for.
    public func decode(_ bytes: [UInt8]) throws(DecodeError) -> Value {
        var reader = ByteReader(bytes.span)
        return try decode(&reader)
    }

    /// What is worth a remark about `bytes`.
    public func remarks(on bytes: [UInt8]) throws(DecodeError) -> [Diagnostic] {
        var reader = ByteReader(bytes.span)
        var remarks: [Diagnostic] = []
        try read(&reader, remarks: &remarks)
        return remarks
    }
}

// MARK: - Checksums

extension Layout {
    /// Whether a value of the type may have a checksum.
    public var hasChecksums: Bool { program.instructions.contains { $0.operation == .checksum } }

    /// What is said of checksums that are not those of their bytes; nil where the bytes are none of the type.
    public func checksumFaults(in bytes: RawSpan) -> [String]? {
        var reader = ByteReader(bytes)
        var remarks: [Diagnostic] = []
        do throws(DecodeError) {
            try read(&reader, remarks: &remarks)
        } catch {
            return nil
        }
        let fields = program.instructions.filter { $0.operation == .checksum }.map(\.field.name)
        return remarks.filter { fields.contains($0.layer) }.map(\.text)
    }
}

// MARK: - From values to bytes

extension Layout {
    /// The bytes that a value stands for. Enumerations may stand there by name or number, times as ISO 8601 or raw number;
    /// constants and checksums may be missing.
    public func encode(_ value: Value) throws(EncodeError) -> [UInt8] {
        try program.write(value)
    }

    /// A value in the form in which `decode` gives it: with numbers and names of enumerations, and times as such.
    public func canonical(_ value: Value) throws(EncodeError) -> Value {
        let bytes = try encode(value)
        do throws(DecodeError) {
            return try decode(bytes)
        } catch {
            throw EncodeError("", "the bytes of the value cannot be read again: \(error)")
        }
    }
}

/// Remarks on one value; nothing is put together unless somebody wants them.
struct RemarkList {
    let isWanted: Bool
    var remarks: [Diagnostic] = []
    /// Further remarks are not listed: a value with that many is none of the type.
    static let limit = 32

    init(isWanted: Bool) {
        self.isWanted = isWanted
    }

    mutating func add(_ remark: @autoclosure () -> Diagnostic) {
        if isWanted, remarks.count < Self.limit { remarks.append(remark()) }
    }
}

/// Why a value cannot be put into bytes.
public struct EncodeError: Error, Hashable, Sendable {
    /// The field within the type, by the names on the way to it; empty for the value as a whole.
    public var path: String
    /// What was expected and what was found.
    public var text: String

    public init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

extension EncodeError: CustomStringConvertible {
    public var description: String { path.isEmpty ? text : "\(path): \(text)" }
}
