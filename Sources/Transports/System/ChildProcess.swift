import Glibc

/// A program that runs beside this one, with the same standard error and no input.
package final class ChildProcess {
    private var pid: pid_t = 0
    private var status: Int32?

    /// Starts a program, which is looked for on PATH. Its standard output goes to standard error: results are ours.
    package init(_ program: String, arguments: [String]) throws(TransportError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var argv: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
        let failure = unsafe posix_spawnp(&pid, program, &actions, nil, &argv, environ)
        guard failure == 0 else {
            throw TransportError(
                program, "cannot be started: \(unsafe String(cString: strerror(failure)))",
                advice: "name a program on PATH or by its path")
        }
    }

    /// Its exit status when it has ended, 128 and the number of the signal that ended it; nil while it runs.
    package func exitStatus() -> Int32? {
        if let status { return status }
        var code: Int32 = 0
        guard unsafe waitpid(pid, &code, WNOHANG) == pid else { return nil }
        status = code & 0x7F == 0 ? code >> 8 & 0xFF : 128 + code & 0x7F
        return status
    }

    /// Ends it.
    package func kill() {
        guard exitStatus() == nil else { return }
        _ = Glibc.kill(pid, SIGTERM)
    }
}
