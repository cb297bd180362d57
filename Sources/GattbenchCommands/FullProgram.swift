import Glibc
import Transports
import Workbench

/// The program that also contains cloud publishing and the web server (docs/decisions/0032). It is installed as
/// `gattbench`; a build places it beside `gattbench`.
enum FullProgram {
    private static let name = "gattbench-full"

    /// Replaces this process by that program with the same command line; returns only if it fails, with the reason.
    static func takeOver() -> FileError {
        let own = Privileges.program
        let path = (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "") + name
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        _ = unsafe execv(path, &arguments)
        return FileError(
            file: path,
            "\(unsafe String(cString: strerror(errno))); this command is not in the analyzer: install the full program, or "
                + "build \(name) beside this one by “make build”")
    }
}
