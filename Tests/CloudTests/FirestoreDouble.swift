import Cloud
import Foundation
import Glibc
import TestKit

/// The script `firestore_double.py`, in a child process.
final class FirestoreDouble {
    private let process = Process()
    let address: String

    init(token: String? = nil) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "firestore_double.py")
        process.arguments = ["python3", script.path] + [token].compactMap(\.self)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8), !byte.isEmpty {
            line += byte
        }
        address = "http://127.0.0.1:" + String(decoding: line, as: UTF8.self)
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Plans faults for the next commits.
    func plan(_ faults: String...) async throws {
        try await post(String(decoding: JSONEncoder().encode(faults), as: UTF8.self), to: "/faults")
    }

    /// Writes a document, as another gateway would.
    func write(_ path: String, _ field: String, _ text: String) async throws {
        let name = "projects/door/databases/(default)/documents/\(path)"
        let body = #"{"writes":[{"update":{"name":"\#(name)","fields":{"\#(field)":{"stringValue":"\#(text)"}}}}]}"#
        try await post(body, to: "/documents")
    }

    private func post(_ body: String, to path: String) async throws {
        var request = HTTPRequest(address + path)
        request.method = "POST"
        request.body = Array(body.utf8)
        _ = try await request.response()
    }

    struct Contents: Decodable {
        /// Values by type, by field, by document.
        var documents: [String: [String: [String: Scalar]]]
        /// Number of writes of each document.
        var written: [String: Int]
        var commits: Int
        /// Size of each commit, in bytes.
        var sizes: [Int]

        /// Documents that were written more than once, although they must be written once.
        var rewritten: [String] {
            written.filter { $0.value > 1 && ($0.key.contains("/entries/") || $0.key.contains("/publications/")) }.keys
                .sorted()
        }

        /// The fields of a collection's documents, by document name.
        func collection(_ name: String) -> [String: [String: String]] {
            let start = "projects/door/databases/(default)/documents/\(name)/"
            return documents.reduce(into: [:]) { found, document in
                guard document.key.hasPrefix(start) else { return }
                found[String(document.key.dropFirst(start.count))] = document.value.compactMapValues {
                    $0.values.first?.text
                }
            }
        }
    }

    /// A string or a Boolean.
    struct Scalar: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try (try? container.decode(String.self)) ?? "\(container.decode(Bool.self))"
        }
    }

    func contents() async throws -> Contents {
        var request = HTTPRequest(address + "/documents")
        request.responseLimit = 1 << 26
        return try JSONDecoder().decode(Contents.self, from: Data(await request.response().body))
    }
}
