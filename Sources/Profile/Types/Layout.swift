public import Bytes
import Synchronization

/// A compiled profile type that decodes and encodes values.
public final class Layout: Sendable {
    /// The type's name in the profile.
    public let name: String
    /// Index among the types of the profile.
    public let index: Int
    private let made = AtomicLazyReference<LayoutProgram>()
    private let make: @Sendable () -> LayoutProgram

    /// Creates a type whose program is compiled on first use, on any thread.
    init(name: String, index: Int, making make: @escaping @Sendable () -> LayoutProgram) {
        self.name = name
        self.index = index
        self.make = make
    }

    convenience init(program: LayoutProgram, index: Int) {
        self.init(name: program.name, index: index) { program }
    }

    /// If two threads race, both compile the program and one result is kept, because fields are compared by identity.
    var program: LayoutProgram { made.load() ?? made.storeIfNil(make()) }

    /// Identifies the type among those of all profiles.
    package var id: ObjectIdentifier { ObjectIdentifier(self) }
    package var title: String { program.title }
    /// The group containing the fields of a value; for a scalar type, its field.
    package var group: Field { program.group }
    /// Smallest and largest length of a value; `Int.max` if unbounded.
    package var lengths: ClosedRange<Int> { program.lengths }

    /// All fields and groups that values record.
    var fields: [Field] { program.fields }
    var aliases: [Alias] { program.aliases }

    /// Alternative name of a field: `aquavate.current_state.bottle_level` for the alias "Bottle Level".
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

    /// The field at a path within the type; nil if there is none.
    package func field(at path: String) -> Field? {
        let name = "\(group.name).\(path)"
        return program.instructions.first { $0.field.name == name }?.field
    }

    /// Reads a value and adds its fields to the reader's recorder. Violations of the profile that do not prevent
    /// reading become diagnostics, and so do bytes after the value, which are left unread.
    package func read(_ reader: inout ByteReader, diagnostics: inout [Diagnostic]) throws(DecodeError) {
        var list = DiagnosticList(isWanted: true)
        swap(&diagnostics, &list.diagnostics)
        defer { swap(&diagnostics, &list.diagnostics) }
        try run(&reader, &list)
    }

    /// Reads a value without diagnostics.
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

    /// Decodes a value; bytes after it are left unread.
    public func decode(_ reader: inout ByteReader) throws(DecodeError) -> Value {
        var list = DiagnosticList(isWanted: false)
        let program = program
        var sink = ValueBuilder(isRecord: program.isRecord)
        try program.read(&reader, into: &sink, diagnostics: &list)
        return sink.value()
    }

    /// Decodes a value; trailing bytes are ignored.
    package func decode(_ bytes: [UInt8]) throws(DecodeError) -> Value {
        var reader = ByteReader(bytes.span)
        return try decode(&reader)
    }

    /// Decodes a value. If a discriminant has no case in its `switch`, the value has the fields up to and including it;
    /// nil for truncated bytes.
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

    /// Diagnostics on a value.
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

    /// Diagnostics on wrong checksums; nil if the bytes do not match the type.
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

// MARK: - Encoding

extension Layout {
    /// Encodes a value. Enumerations may be given by name or number, times as ISO 8601 or raw number; constants and
    /// checksums may be omitted.
    package func encode(_ value: Value) throws(EncodeError) -> [UInt8] {
        try program.write(value)
    }

    /// Normalizes a value to the form that `decode` returns: enumerations with numbers and names, times as `.time`.
    package func canonical(_ value: Value) throws(EncodeError) -> Value {
        let bytes = try encode(value)
        do throws(DecodeError) {
            return try decode(bytes)
        } catch {
            throw EncodeError("", "the bytes of the value cannot be read again: \(error)")
        }
    }
}

/// Collects the diagnostics on one value; they are not created unless wanted.
struct DiagnosticList {
    let isWanted: Bool
    var diagnostics: [Diagnostic] = []
    /// Maximum number of diagnostics listed: a value with more does not match the type.
    static let limit = 32

    init(isWanted: Bool) {
        self.isWanted = isWanted
    }

    mutating func add(_ diagnostic: @autoclosure () -> Diagnostic) {
        if isWanted, diagnostics.count < Self.limit { diagnostics.append(diagnostic()) }
    }
}

/// An error that prevents encoding of a value.
package struct EncodeError: Error, Hashable, Sendable {
    /// Path of the field within the type; empty for the value as a whole.
    package var path: String
    /// The expected and the actual content.
    package var text: String

    package init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

extension EncodeError: CustomStringConvertible {
    package var description: String { path.isEmpty ? text : "\(path): \(text)" }
}
