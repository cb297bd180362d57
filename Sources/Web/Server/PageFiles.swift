import CWebPages
import Captures
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// The web pages: embedded in the program, or read from a folder during development.
struct PageFiles: Sendable {
    private let folder: String?
    private let embedded: [String: [UInt8]]

    init(folder: String?) {
        self.folder = folder
        embedded = folder == nil ? Self.pages : [:]
    }

    /// Paths and contents of the embedded pages.
    static let pages: [String: [UInt8]] = {
        var count = 0
        var pages: [String: [UInt8]] = [:]
        guard let first = unsafe webPages(&count) else { return [:] }
        for index in 0..<count {
            let page = unsafe first[index]
            let bytes = unsafe UnsafeRawBufferPointer(start: page.bytes, count: page.length)
            unsafe pages[String(cString: page.path)] = unsafe Array(bytes)
        }
        return pages
    }()

    /// The page at a URL path; `index.html` at the root.
    func response(for path: String) -> Response? {
        let path = path == "/" ? "index.html" : String(path.drop { $0 == "/" })
        guard let bytes = bytes(path) else { return nil }
        let ending = path.split(separator: ".").last.map(String.init) ?? ""
        return Response(
            status: .ok, headers: [.contentType: Self.types[ending] ?? "application/octet-stream"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func bytes(_ path: String) -> [UInt8]? {
        guard let folder else { return embedded[path] }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0.hasPrefix(".") }) else { return nil }
        return FileManager.default.contents(atPath: "\(folder)/\(path)").map { Array($0) }
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml", "json": "application/json", "png": "image/png", "yaml": "application/yaml",
    ]
}
