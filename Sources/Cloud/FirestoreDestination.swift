import Bytes
import FoundationEssentials
import PluginKit
import Profile
import Synchronization
import Workbench

/// A Firestore database, written through its REST API: one `documents:commit` per batch.
///
/// The commit contains the batch's documents and a ledger document, with the precondition that the ledger document does
/// not exist: if the response to a commit is lost, the repeated commit is rejected as a whole. An exclusive document
/// has the precondition that its state is the one known to this publisher.
final class FirestoreDestination: Destination {
    let name: String
    /// Firestore sustains about one write per second to a document.
    let interval = Duration.seconds(1)
    let doubtTime = Duration.zero
    let secrets = Secrets()
    private let settings: PublishOptions.Firestore
    /// Known update times of exclusive documents; nil for a document that does not exist.
    private let known = Mutex<[String: String?]>([:])

    /// Maximum number of bytes read of a response.
    private static let answerLimit = 1 << 20
    /// Number of times that a commit is rebuilt after a conflict before it fails.
    private static let conflictLimit = 3

    init(_ settings: PublishOptions.Firestore) {
        self.settings = settings
        name = "firestore:\(settings.project)/\(settings.database)"
    }

    /// `projects/door/databases/(default)/documents`.
    private var root: String { "projects/\(settings.project)/databases/\(settings.database)/documents" }

    func encode(_ batch: PublishedBatch, of publication: Publication) -> FirestoreCommit? {
        FirestoreCommit(batch, of: publication, root: root)
    }

    func rest() async {}
    func close() async {}

    func send(_ commit: FirestoreCommit) async throws(DeliveryFailure) -> [String] {
        let unknown = known.withLock { known in commit.exclusive.filter { known[$0] == nil } }
        if !unknown.isEmpty { try await look(for: unknown) }
        var conflicts: Set<String> = []
        for _ in 0..<Self.conflictLimit {
            let times = known.withLock(\.self)
            let answer = try await post(commit.body(known: times, conflicts: conflicts), to: "commit")
            if answer.status == 200 {
                // Only a Firestore response confirms: a proxy may respond with 200, too.
                let results = answer.content?["writeResults"]?.elements ?? []
                guard results.count == commit.writes else { throw answer.failure }
                remember(results, of: commit)
                return conflicts.sorted()
            }
            guard answer.isPrecondition else { throw answer.failure }
            // The ledger contains the batch, or another publisher has written a document.
            let found = try await look(for: [commit.ledger].compactMap(\.self) + commit.exclusive)
            if let ledger = commit.ledger {
                _ = known.withLock { $0.removeValue(forKey: ledger) }
                if found.contains(ledger) { return [] }
            }
            let present = known.withLock(\.self)
            conflicts.formUnion(commit.exclusive.filter { present[$0] != times[$0] })
        }
        throw DeliveryFailure("other publishers write \(commit.exclusive.joined(separator: ", ")) all the time")
    }

    /// Fetches the update times of documents; returns those that exist.
    @discardableResult
    private func look(for paths: [String]) async throws(DeliveryFailure) -> Set<String> {
        let names = paths.map { Value.text("\(root)/\($0)") }
        let mask: Record = ["fieldPaths": .list([.text("conflict")])]
        let answer = try await post(
            Value.record(["documents": .list(names), "mask": .record(mask)]).json, to: "batchGet")
        guard answer.status == 200, let documents = answer.content?.elements else { throw answer.failure }
        var times: [String: String] = [:]
        for one in documents {
            guard let found = one["found"], let name = found["name"]?.string else { continue }
            times[String(name.dropFirst(root.count + 1))] = found["updateTime"]?.string
        }
        known.withLock { known in
            for path in paths { known.updateValue(times[path], forKey: path) }
        }
        return Set(times.keys)
    }

    private func remember(_ results: [JSONValue], of commit: FirestoreCommit) {
        // The exclusive documents follow the ledger.
        known.withLock { known in
            for (path, result) in zip(commit.exclusive, results.dropFirst(commit.ledger == nil ? 0 : 1)) {
                if let time = result["updateTime"]?.string {
                    known[path] = time
                } else {
                    known.removeValue(forKey: path)
                }
            }
        }
    }

    // MARK: - Requests

    private struct Answer {
        var status: Int
        var retryAfter: Duration?
        var content: JSONValue?

        private var code: String { content?["error"]?["status"]?.string ?? "" }

        /// Whether the precondition of a write failed; also true if the database does not exist.
        var isPrecondition: Bool { ["ALREADY_EXISTS", "FAILED_PRECONDITION", "NOT_FOUND"].contains(code) }

        var failure: DeliveryFailure {
            if status == 200 { return DeliveryFailure("200, but the answer is not one of Firestore") }
            let parts = [String(status), code, content?["error"]?["message"]?.string ?? ""]
            return DeliveryFailure(
                parts.filter { !$0.isEmpty }.joined(separator: " "), isPermanent: [400, 404, 413].contains(status),
                retryAfter: retryAfter)
        }
    }

    private func post(_ body: String, to method: String) async throws(DeliveryFailure) -> Answer {
        var request = HTTPRequest("\(settings.base)/v1/\(root):\(method)")
        request.method = "POST"
        request.headers = [("Content-Type", "application/json")]
        if let token = try token() {
            if settings.sendsPlainToken {
                throw DeliveryFailure("an access token is sent by https only, or to localhost", isPermanent: true)
            }
            request.headers.append(("Authorization", "Bearer \(token)"))
        }
        request.body = Array(body.utf8)
        request.timeLimit = settings.timeLimit
        request.responseLimit = Self.answerLimit
        do throws(HTTPRequest.Failure) {
            let response = try await request.response()
            let seconds = response.headers["retry-after"].flatMap { Int($0) }
            return Answer(
                status: response.status, retryAfter: seconds.map { .seconds(min(max($0, 0), 3600)) },
                content: try? JSONValue(reading: response.body))
        } catch {
            throw DeliveryFailure("\(settings.base): \(error)", isPermanent: error.isPermanent)
        }
    }

    /// The access token, read for each request because refreshing the token replaces the file.
    private func token() throws(DeliveryFailure) -> String? {
        guard let path = settings.tokenFile else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw DeliveryFailure("\(path): the access token cannot be read")
        }
        let token = text.filter { !$0.isWhitespace }
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw DeliveryFailure("\(path): expected an access token")
        }
        secrets.record(token)
        return token
    }
}
