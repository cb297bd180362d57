import BluetoothCrypto
import Bytes
import PluginKit
import Profile

/// The writes of a batch: its ledger document first, then the exclusive documents, then the others. A batch without
/// rows contains only the current state, which may be written twice and needs no ledger document.
struct FirestoreCommit: Sendable {
    /// `publications/<digest of the rows' names>`: the same rows have the same ledger document, whichever machine
    /// publishes them.
    let ledger: String?
    /// Paths of the exclusive documents.
    let exclusive: [String]
    private let root: String
    private let guarded: [CloudDocument]
    /// The writes of the other documents and of the ledger, as JSON; at most one for the ledger.
    private let others: [String]
    private let ledgerWrites: [String]

    /// Maximum number of writes of a commit, and maximum bytes of a request.
    private static let writeLimit = 500
    private static let sizeLimit = 10 << 20
    /// Upper limit in bytes of an exclusive document's precondition and flag, and of the text around all writes.
    private static let guardSize = 256

    /// Nil if the batch exceeds the limits of a commit.
    init?(_ batch: PublishedBatch, of publication: Publication, root: String) {
        let documents = publication.documents(batch)
        guarded = documents.filter(\.isExclusive)
        exclusive = guarded.map(\.path)
        self.root = root
        let names = batch.rows.map(publication.identity)
        let digest = SHA256.digest(of: Array(names.joined(separator: "\n").utf8))
        let ledger = "publications/" + digest.prefix(16).map { String(hex: $0, digits: 2) }.joined()
        let fields: Record = [
            "rows": .integer(Int64(names.count)), "first": .text(names.first ?? ""), "last": .text(names.last ?? ""),
        ]
        let ledgerWrite = Self.write(CloudDocument(ledger, fields), root, .exists(false))
        (self.ledger, ledgerWrites) = names.isEmpty ? (nil, []) : (ledger, [ledgerWrite])
        others = documents.filter { !$0.isExclusive }.map { Self.write($0, root, nil) }
        let size = others.reduce(ledgerWrite.utf8.count + Self.guardSize) { $0 + $1.utf8.count + 1 }
        let guardedSize = guarded.reduce(0) { $0 + Self.write($1, root, nil).utf8.count + Self.guardSize }
        guard documents.count + 1 <= Self.writeLimit, size + guardedSize <= Self.sizeLimit else { return nil }
    }

    /// Number of writes in the request.
    var writes: Int { ledgerWrites.count + guarded.count + others.count }

    /// The request's body. Each exclusive document has a precondition on its known state, and a flag for a conflict.
    func body(known: [String: String?], conflicts: Set<String>) -> String {
        let exclusive = guarded.map { document in
            var document = document
            document.fields.fields.append((name: "conflict", value: .boolean(conflicts.contains(document.path))))
            let precondition: Precondition? =
                switch known[document.path] {
                case .none: nil
                case .some(.none): .exists(false)
                case .some(.some(let time)): .updateTime(time)
                }
            return Self.write(document, root, precondition)
        }
        return #"{"writes":["# + (ledgerWrites + exclusive + others).joined(separator: ",") + "]}"
    }

    private enum Precondition {
        case exists(Bool)
        case updateTime(String)

        var record: Record {
            switch self {
            case .exists(let flag): ["exists": .boolean(flag)]
            case .updateTime(let time): ["updateTime": .text(time)]
            }
        }
    }

    private static func write(_ document: CloudDocument, _ root: String, _ precondition: Precondition?) -> String {
        let content: Record = ["name": .text("\(root)/\(document.path)"), "fields": .record(typed(document.fields))]
        var write: Record = ["update": .record(content)]
        if let precondition { write.fields.append((name: "currentDocument", value: .record(precondition.record))) }
        return Value.record(write).json
    }

    /// Wraps each value with the name of its type.
    private static func typed(_ fields: Record) -> Record {
        var result: Record = [:]
        for (name, value) in fields.fields {
            if let value = typed(value) { result.fields.append((name: name, value: .record(value))) }
        }
        return result
    }

    private static func typed(_ value: Value) -> Record? {
        switch value {
        // A string, because JSON has no 64-bit integers.
        case .integer(let number): ["integerValue": .text(String(number))]
        case .boolean(let flag): ["booleanValue": .boolean(flag)]
        case .text(let text): ["stringValue": .text(text)]
        case .time(_, let nanoseconds): ["timestampValue": .text("\(Timestamp(nanoseconds: nanoseconds))")]
        default: nil
        }
    }
}
