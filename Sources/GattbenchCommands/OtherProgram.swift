import FoundationEssentials
import Glibc
import PluginKit
import Workbench

/// The commands that need the store, the cloud or the web server run in programs that stand beside this one: what only they
/// need is built and loaded there (docs/decisions/0032).
enum OtherProgram: String {
    case store = "gattbench-store"
    case cloud = "gattbench-cloud"
    case web = "gattbench-web"

    /// Whether this program has what the other one has.
    private var isThis: Bool {
        switch self {
        case .store: ProgramServices.own.store != nil
        case .cloud: ProgramServices.own.publisher != nil
        case .web: ProgramServices.own.web != nil
        }
    }

    /// Goes on as the other program with the same command line, unless this one can do it.
    func takeOver() throws {
        guard !isThis else { return }
        let path = beside
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        _ = unsafe execv(path, &arguments)
        throw StoreFault(
            "\(path): \(unsafe String(cString: strerror(errno))); this command needs the program \(rawValue) beside "
                + "gattbench: “make build” builds all")
    }

    /// The path of the program in the folder of this one.
    private var beside: String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe readlink("/proc/self/exe", bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        let own = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        guard let slash = own.lastIndex(of: "/") else { return rawValue }
        return own[...slash] + rawValue
    }
}

/// The store of the commands.
enum StoreProgram {
    /// Opens the store in a program that has one. In `gattbench` it does not return: `gattbench-store` takes the process over.
    static func open(_ path: String?) throws -> any RecordStore {
        try OtherProgram.store.takeOver()
        return try StoreFile.open(path, environment: ProcessInfo.processInfo.environment)
    }

    /// The same for who only reads, or deletes: one that is not there is not made.
    static func openExisting(_ path: String?) throws -> any RecordStore {
        try OtherProgram.store.takeOver()
        let environment = ProcessInfo.processInfo.environment
        guard StoreFile.exists(path, environment: environment) else {
            throw StoreFault("\(StoreFile.path(path, environment: environment)): there is no store yet")
        }
        return try StoreFile.open(path, environment: environment)
    }
}
