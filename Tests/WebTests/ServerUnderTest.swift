import Bytes
import Cloud
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

@testable import Web

/// A server on a free port, and a client with its token.
final class ServerUnderTest: Sendable {
    let base: String
    let token: String
    private let work: Task<Void, any Error>

    /// Starts a server with open captures, given by their folders in `captures` or by paths.
    init(_ files: [String] = [], _ change: (inout WebOptions) -> Void = { _ in }) async throws {
        var options = WebOptions()
        options.files = files.map { $0.hasPrefix("/") ? $0 : Repository.capture($0) }
        options.plugins = try PluginLibrary.builtIn().plugins
        change(&options)
        let (addresses, continuation) = AsyncThrowingStream<String, any Error>.makeStream()
        work = Task { [options] in
            do {
                try await WebServer.serve(options, ready: { continuation.yield($0) }, report: { _ in })
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
                throw error
            }
        }
        var address = ""
        for try await one in addresses {
            address = one
            break
        }
        let parts = address.components(separatedBy: "/?token=")
        (base, token) = (parts[0], try #require(parts.count == 2 ? parts[1] : nil))
    }

    deinit { work.cancel() }

    func stop() async {
        work.cancel()
        _ = await work.result
    }

    struct Answer {
        let status: Int
        /// By lower-case names.
        let headers: [String: String]
        let bytes: [UInt8]

        var json: JSONValue { (try? JSONValue(reading: bytes)) ?? .null }
    }

    /// The server's response; the request contains the token unless other headers are given.
    func ask(
        _ path: String, _ method: String = "GET", body: [UInt8] = [], headers: KeyValuePairs<String, String>? = nil
    ) async throws -> Answer {
        var request = HTTPRequest(base + path)
        request.method = method
        request.headers = (headers ?? ["X-Gattbench-Token": token]).map { ($0.key, $0.value) }
        request.body = body
        request.timeLimit = .seconds(60)
        request.responseLimit = 64 << 20
        let response = try await request.response()
        return Answer(status: response.status, headers: response.headers, bytes: response.body)
    }

    func ask(_ path: String, sending json: String) async throws -> Answer {
        try await ask(path, "POST", body: Array(json.utf8))
    }

    /// Repeats the request until the background job is complete.
    func complete(_ path: String) async throws -> JSONValue {
        while true {
            let answer = try await ask(path)
            guard answer.json["state"]?.string == "running" else { return answer.json }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension Repository {
    /// The capture in a folder of `captures`.
    static func capture(_ name: String) -> String {
        captures(in: "captures/\(name)").first.map { path($0) } ?? name
    }
}

extension Repository {
    /// The files in a folder and its subfolders, sorted, without hidden ones.
    static func files(in folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder)
            return isThere && !isFolder.boolValue && !name.split(separator: "/").contains { $0.hasPrefix(".") }
        }.sorted()
    }
}

/// A session with its files indexed.
func makeSession(_ paths: [String]) async throws -> WebSession {
    var options = WebOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    let session = WebSession(options)
    for path in paths { try session.open(path) }
    for file in session.files { await file.index.waitUntilBuilt() }
    return session
}

extension CaptureIndex {
    func waitUntilBuilt() async {
        while progress.state == .running { try? await Task.sleep(for: .milliseconds(5)) }
    }
}
