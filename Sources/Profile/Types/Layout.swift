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
    package var id: ObjectIdentifier { ObjectIdentifier(self) }
    package var title: String { program.title }
    /// The group that the fields of a value lie in; of a type that is a single field, that field.
    package var group: Field { program.group }
    /// Smallest and largest length that a value can have; `Int.max` where there is no largest.
    package var lengths: ClosedRange<Int> { program.lengths }

    /// Every field and group that values record.
    var fields: [Field] { program.fields }
    var aliases: [Alias] { program.aliases }

    /// Another name of a field: `aquavate.current_state.bottle_level` for the alias "Bottle Level".
    public struct Alias: Sendable {
        public let name: String
        public let field: Field

        init(_ words: String, of field: Field) {
            let own = words.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
            let path = field.name.lastIndex(of: ".").map { String(field.name[...$0]) } ?? ""
            name = path + own
            self.field = field
        }
    }

    /// The field at a path within the type; nil where values have none.
    package func field(at path: String) -> Field? {
        let name = "\(group.name).\(path)"
        return program.instructions.first { $0.field.name == name }?.field
    }

    /// Reads a value, leaving its fields in the reader's recorder. What is not as the profile says and does not keep the
    /// value from being read becomes a diagnostic; bytes after the value are one, and are left unread.
    package func read(_ reader: inout ByteReader, diagnostics: inout [Diagnostic]) throws(DecodeError) {
        var list = DiagnosticList(isWanted: true)
        swap(&diagnostics, &list.diagnostics)
        defer { swap(&diagnostics, &list.diagnostics) }
        try run(&reader, &list)
    }

    /// The same without diagnostics.
    package func read(_ reader: inout ByteReader) throws(DecodeError) {
        var list = DiagnosticList(isWanted: false)
        try run(&reader, &list)
    }

    private func run(_ reader: inout ByteReader, _ list: inout DiagnosticList) throws(DecodeError) {
        var sink = NoSink()
        let program = program
        guard program.isRecord else {
            try program.read(&reader, into: &sink, diagnostics: &list)
            return diagnoseRest(reader, &list)
        }
        let recorder = reader.recorder
        let group = reader.begin(program.group)
        do throws(DecodeError) {
            try program.read(&reader, into: &sink, diagnostics: &list)
        } catch {
            recorder?.close(group)
            throw error
        }
        reader.end(group)
        diagnoseRest(reader, &list)
    }

    private func diagnoseRest(_ reader: borrowing ByteReader, _ list: inout DiagnosticList) {
        guard !reader.isAtEnd else { return }
        let count = reader.remaining
        let offset = reader.offset
        list.add(Diagnostic(.warning, group.name, offset: offset, "\(title): \(count.counted("byte")) left over"))
    }

    /// The value that the bytes stand for; those after it are left unread.
    public func decode(_ reader: inout ByteReader) throws(DecodeError) -> Value {
        var list = DiagnosticList(isWanted: false)
        let program = program
        var sink = ValueBuilder(isRecord: program.isRecord)
        try program.read(&reader, into: &sink, diagnostics: &list)
        return sink.value()
    }

    /// The value that `bytes` stand for.
    package func decode(_ bytes: [UInt8]) throws(DecodeError) -> Value {
        var reader = ByteReader(bytes.span)
        return try decode(&reader)
    }

    /// The value of `bytes`. Where a number is none of its `switch`, the value has the fields up to that number; nil for
    /// bytes that end early.
    package func decodeUpToUnknownCase(_ bytes: [UInt8]) -> Value? {
        var reader = ByteReader(bytes.span)
        var list = DiagnosticList(isWanted: false)
        var sink = ValueBuilder(isRecord: program.isRecord)
        do throws(DecodeError) {
            try program.read(&reader, into: &sink, diagnostics: &list)
        } catch {
            if error.reason == .truncated { return nil }
            sink.closeAll()
        }
        return sink.value()
    }

    /// What is worth a diagnostic about `bytes`.
    package func diagnostics(on bytes: [UInt8]) throws(DecodeError) -> [Diagnostic] {
        var reader = ByteReader(bytes.span)
        var diagnostics: [Diagnostic] = []
        try read(&reader, diagnostics: &diagnostics)
        return diagnostics
    }
}

// MARK: - Checksums

extension Layout {
    /// Whether a value of the type may have a checksum.
    package var hasChecksums: Bool { program.instructions.contains { $0.operation == .checksum } }

    /// What is said of checksums that are not those of their bytes; nil where the bytes are none of the type.
    package func checksumFaults(in bytes: RawSpan) -> [String]? {
        var reader = ByteReader(bytes)
        var diagnostics: [Diagnostic] = []
        do throws(DecodeError) {
            try read(&reader, diagnostics: &diagnostics)
        } catch {
            return nil
        }
        let fields = program.instructions.filter { $0.operation == .checksum }.map(\.field.name)
        return diagnostics.filter { fields.contains($0.layer) }.map(\.text)
    }
}

// MARK: - From values to bytes

extension Layout {
    /// The bytes that a value stands for. Enumerations may stand there by name or number, times as ISO 8601 or raw number;
    /// constants and checksums may be missing.
    package func encode(_ value: Value) throws(EncodeError) -> [UInt8] {
        try program.write(value)
    }

    /// A value in the form in which `decode` gives it: with numbers and names of enumerations, and times as such.
    package func canonical(_ value: Value) throws(EncodeError) -> Value {
        let bytes = try encode(value)
        do throws(DecodeError) {
            return try decode(bytes)
        } catch {
            throw EncodeError("", "the bytes of the value cannot be read again: \(error)")
        }
    }
}

/// Remarks on one value; nothing is put together unless somebody wants them.
struct DiagnosticList {
    let isWanted: Bool
    var diagnostics: [Diagnostic] = []
    /// Further diagnostics are not listed: a value with that many is none of the type.
    static let limit = 32

    init(isWanted: Bool) {
        self.isWanted = isWanted
    }

    mutating func add(_ diagnostic: @autoclosure () -> Diagnostic) {
        if isWanted, diagnostics.count < Self.limit { diagnostics.append(diagnostic()) }
    }
}

/// Why a value cannot be put into bytes.
package struct EncodeError: Error, Hashable, Sendable {
    /// The field within the type, by the names on the way to it; empty for the value as a whole.
    package var path: String
    /// What was expected and what was found.
    package var text: String

    package init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

extension EncodeError: CustomStringConvertible {
    package var description: String { path.isEmpty ? text : "\(path): \(text)" }
}
