import Glibc
import PluginKit
import Transports
import Workbench

/// The commands that need the store, the cloud or the web server run in a program that stands beside this one: what only they
/// need is built and loaded there (docs/decisions/0032).
enum OtherProgram {
    case store, cloud, web

    /// The programs that have it. The first one is built in a minute, the last one is always installed.
    private var names: [String] { self == .store ? ["gattbench-store", Self.full] : [Self.full] }
    private static let full = "gattbench-full"

    /// Whether this program has it.
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
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        let own = Privileges.program
        let folder = own.lastIndex(of: "/").map { String(own[...$0]) } ?? ""
        let paths = names.map { folder + $0 }
        for path in paths { _ = unsafe execv(path, &arguments) }
        throw StoreFault(
            "\(paths.last ?? ""): \(unsafe String(cString: strerror(errno))); this command needs the program \(Self.full) "
                + "beside gattbench: “make build” builds all")
    }
}

/// The store of the commands.
enum StoreProgram {
    /// Opens the store in a program that has one. In `gattbench` it does not return: another program takes the process over.
    static func open(_ path: String?) throws -> any RecordStore {
        try OtherProgram.store.takeOver()
        return try StoreFile.open(path, environment: ProcessEnvironment.variables)
    }

    /// The same for who only reads, or deletes: one that is not there is not made.
    static func openExisting(_ path: String?) throws -> any RecordStore {
        try OtherProgram.store.takeOver()
        let environment = ProcessEnvironment.variables
        guard StoreFile.exists(path, environment: environment) else {
            throw StoreFault("\(StoreFile.path(path, environment: environment)): there is no store yet")
        }
        return try open(path)
    }
}
