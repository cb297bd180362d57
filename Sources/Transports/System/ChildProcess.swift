import Glibc

/// A child process with the same standard error and no input.
package final class ChildProcess {
    private var pid: pid_t = 0
    private var status: Int32?

    /// Starts a program, searched in PATH. Its standard output is redirected to standard error, because standard output
    /// is reserved for results. The environment is that of this process, with further variables.
    ///
    /// - Parameter isSilent: whether its output is dropped instead, as for programs that run many times.
    package init(
        _ program: String, arguments: [String], environment: [String: String] = [:], isSilent: Bool = false
    ) throws(TransportError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if isSilent {
            unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        } else {
            unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        }
        var argv: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
        let own = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") }
        defer { for index in unsafe own.indices { unsafe free(own[index]) } }
        // Of two variables with one name, the first counts.
        var variables = unsafe own
        var inherited = unsafe environ
        while let variable = unsafe inherited.pointee {
            unsafe variables.append(variable)
            unsafe inherited = inherited.advanced(by: 1)
        }
        unsafe variables.append(nil)
        let failure = unsafe posix_spawnp(&pid, program, &actions, nil, &argv, &variables)
        guard failure == 0 else {
            throw TransportError(
                program, "cannot be started: \(unsafe String(cString: strerror(failure)))",
                advice: "name a program on PATH or by its path")
        }
    }

    /// Exit status, or 128 plus the signal number if a signal ended the process; nil while it is running.
    package func exitStatus() -> Int32? { exitStatus(options: WNOHANG) }

    private func exitStatus(options: Int32) -> Int32? {
        if let status { return status }
        var code: Int32 = 0
        guard unsafe waitpid(pid, &code, options) == pid else { return nil }
        status = code & 0x7F == 0 ? code >> 8 & 0xFF : 128 + code & 0x7F
        return status
    }

    /// Terminates the process with SIGTERM, or with SIGKILL, which it cannot ignore: then its end is awaited, so that no
    /// defunct process is left.
    package func kill(force: Bool = false) {
        guard exitStatus() == nil else { return }
        _ = Glibc.kill(pid, force ? SIGKILL : SIGTERM)
        if force { _ = exitStatus(options: 0) }
    }
}
