import Glibc
import PluginKit
import Transports
import Workbench

/// The commands that need the cloud or the web server run in a program that stands beside that of a build: what only they need is
/// slow to build (docs/decisions/0032). What is installed is that program.
enum OtherProgram {
    case cloud, web

    private static let name = "gattbench-full"

    /// Whether this program has it.
    private var isThis: Bool {
        switch self {
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
        let path = (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "") + Self.name
        _ = unsafe execv(path, &arguments)
        throw StoreFault(
            "\(path): \(unsafe String(cString: strerror(errno))); this command is not in the analyzer: install the full "
                + "program, or build \(Self.name) beside this one by “make build”")
    }
}
