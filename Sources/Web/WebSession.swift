import Bytes
import Captures
import Conversation
import Dissection
import Glibc
import HTTPTypes
import PluginKit
import Profile
import Synchronization
import Workbench

/// The state of a server: its files, in tab order.
final class WebSession: Sendable {
    let options: WebOptions
    let catalog: FieldCatalog
    let waivers: WaiverFile
    private let content = Mutex(Content())
    private let runningTwin = Mutex<TwinSession?>(nil)

    private struct Content {
        var files: [OpenFile] = []
        var count = 0
        var isOver = false
    }

    init(_ options: WebOptions) {
        self.options = options
        catalog = .all(plugins: options.plugins)
        waivers = WaiverFile(options.waivers)
    }

    /// Ids of the oracle rules, which compare a device with its twin.
    var oracleRules: [String] {
        options.plugins.plugins.flatMap(\.profile.profile.rules).compactMap { rule in
            if case .oracle = rule.kind { rule.id } else { nil }
        }
    }

    /// The twin of `--twin`; nil after it has ended.
    var twin: TwinSession? { runningTwin.withLock { $0 }.flatMap { $0.isOver ? nil : $0 } }

    func start(_ twin: TwinSession) { runningTwin.withLock { $0 = twin } }

    var isOver: Bool { content.withLock { $0.isOver } }

    func finish() { content.withLock { $0.isOver = true } }

    var files: [OpenFile] { content.withLock { $0.files } }

    func file(_ id: String) -> OpenFile? { files.first { $0.id == id } }

    /// Opens a capture at the user's path.
    func open(_ path: String) throws {
        let capture = try ReadableCapture(
            path, member: options.member, as: options.stated, acceptsPipes: false)
        let parts = capture.name.split(separator: "/", omittingEmptySubsequences: false)
        try add(capture, name: parts.last.map(String.init) ?? path, folder: parts.dropLast().joined(separator: "/"))
    }

    /// Opens an uploaded capture.
    func open(sent file: FileDescriptor, name: String) throws -> OpenFile {
        let capture = try ReadableCapture(file.pathInProcess, limit: options.uploadLimit)
        return try add(capture, name: name, keeping: file)
    }

    /// Adds a file that is a capture of a known format.
    @discardableResult
    private func add(
        _ capture: ReadableCapture, name: String, folder: String = "", keeping file: FileDescriptor? = nil
    ) throws -> OpenFile {
        do {
            _ = try CaptureReader(path: capture.path)
        } catch {
            throw CaptureError(error.kind, capture.named(error.finding))
        }
        return try add(name: name, path: capture.path, folder: folder, keeping: capture.unnamed ?? file)
    }

    /// - Parameter file: the open file at `path`, if it has no name.
    @discardableResult
    func add(
        name: String, path: String, folder: String = "", keeping file: FileDescriptor? = nil, live: LiveSource? = nil
    ) throws -> OpenFile {
        let id = try content.withLock { content in
            guard content.files.count < WebOptions.fileLimit else {
                throw WebFault(.conflict, "\(WebOptions.fileLimit) files are open: close one")
            }
            content.count += 1
            return "\(content.count)"
        }
        let opened = OpenFile(id: id, name: name, folder: folder, path: path, keeping: file, live: live, self)
        content.withLock { $0.files.append(opened) }
        return opened
    }

    /// The recording file of a live capture: the user's file, or an unnamed one.
    func makeLiveSource() throws -> LiveSource {
        try options.recording.map { try LiveSource(path: $0) } ?? LiveSource()
    }

    func add(name: String, live source: LiveSource) throws {
        try add(name: name, path: source.path, live: source)
    }

    func close(_ id: String) -> Bool {
        let file = content.withLock { content -> OpenFile? in
            guard let place = content.files.firstIndex(where: { $0.id == id }) else { return nil }
            return content.files.remove(at: place)
        }
        file?.close()
        return file != nil
    }

    /// Adds a waiver to the user's file and repeats the checks.
    func add(_ waiver: JSONValue) throws {
        try waivers.add(waiver)
        for file in files {
            file.jobs.check.forget()
            file.jobs.comparison.forget()
        }
    }

    func closeAll() {
        for file in files { _ = close(file.id) }
    }

    /// Path for a new socket.
    static func socketPath() -> String {
        "\(Folder.temporary)/gattbench-web-\(getpid())-\(UInt64.random(in: 0 ... .max)).control"
    }

    /// A new unnamed file, which is deleted with its last descriptor.
    static func temporaryFile() throws(SystemError) -> FileDescriptor {
        try FileDescriptor.unnamed(in: Folder.temporary)
    }
}
