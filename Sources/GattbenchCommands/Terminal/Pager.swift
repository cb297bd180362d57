import Glibc
import Synchronization

/// Shows long output on a terminal in a pager, like git: GATTBENCH_PAGER, else PAGER, else `less`.
///
/// The pager starts with the first output of a command that has requested it, so that progress is visible until then.
enum Pager {
    private static let isWanted = Atomic(false)
    private static let isForbidden = Atomic(false)
    private static let process = Atomic<pid_t>(0)

    /// Sends all further output through the pager, if standard output is a terminal.
    static func use() { isWanted.store(true, ordering: .relaxed) }

    /// Disables the pager for all commands.
    static func forbid() { isForbidden.store(true, ordering: .relaxed) }

    /// Whether output goes through a pager, which implies a terminal.
    static var isRunning: Bool { process.load(ordering: .relaxed) != 0 }

    /// Starts the pager if it is requested and not running yet.
    static func startIfWanted() {
        guard isWanted.exchange(false, ordering: .relaxed), !isForbidden.load(ordering: .relaxed),
            isatty(STDOUT_FILENO) == 1, let command
        else { return }
        // As git sets it: exit if all fits the screen, show colors, leave the text on the screen.
        unsafe setenv("LESS", "FRX", 0)
        unsafe setenv("LV", "-c", 0)
        var ends: [CInt] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The terminal sends Ctrl-C to both processes: the pager stays, so the program must, too.
        Interruption.watch()
        let started = start(command, reading: ends[0])
        close(ends[0])
        if started > 0 {
            process.store(started, ordering: .relaxed)
            dup2(ends[1], STDOUT_FILENO)
            if isatty(STDERR_FILENO) == 1 { dup2(ends[1], STDERR_FILENO) }
            // The program can exit in many places, and must outlive the pager in all of them.
            atexit { Pager.wait() }
        }
        close(ends[1])
    }

    /// Ends the pager's input, and waits until the user quits it.
    private static func wait() {
        signal(SIGINT, SIG_IGN)
        signal(SIGTERM, SIG_DFL)
        fflush(nil)
        close(STDOUT_FILENO)
        close(STDERR_FILENO)
        while waitpid(process.load(ordering: .relaxed), nil, 0) < 0, errno == EINTR {}
    }

    /// The pager's command from the environment; nil if output is not paged.
    private static var command: String? {
        let named = unsafe getenv("GATTBENCH_PAGER") ?? getenv("PAGER")
        let command = unsafe named.map { unsafe String(cString: $0) } ?? "less"
        let program = command.prefix { $0 != " " }
        return program.isEmpty || program == "cat" || !isInstalled(program) ? nil : command
    }

    /// Whether the shell can find the program.
    private static func isInstalled(_ program: Substring) -> Bool {
        if program.contains("/") { return unsafe access(String(program), X_OK) == 0 }
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains { unsafe access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Starts a pager that reads a pipe; returns its process, or 0 on failure.
    private static func start(_ command: String, reading pipe: CInt) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe, STDIN_FILENO)
        // SIGPIPE, which this program ignores, must end a pager whose terminal is closed.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let words = ["sh", "-c", command]
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ)
        return failure == 0 ? process : 0
    }
}
