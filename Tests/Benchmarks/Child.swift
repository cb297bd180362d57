import Glibc

/// A measured child process; its output is discarded.
struct Child {
    /// The resources of one run.
    struct Cost {
        /// Wall time, in seconds.
        var seconds: Double
        /// Peak memory, in bytes.
        var memory: Int
    }

    var path: String
    var arguments: [String]
    /// Accepted exit codes: `check` exits with 1 when rules fail.
    var exits: Set<CInt>

    init(_ path: String, _ arguments: [String], exits: Set<CInt> = [0]) {
        self.path = path
        self.arguments = arguments
        self.exits = exits
    }

    /// Runs the program once.
    func run() throws(Failure) -> Cost {
        let start = ContinuousClock.now
        var usage = rusage()
        var status: CInt = 0
        let process = try spawn()
        while unsafe wait4(process, &status, 0, &usage) < 0 {
            guard errno == EINTR else { throw Failure(command: description, reason: "it cannot be waited for") }
        }
        let duration = ContinuousClock.now - start
        guard status & 0x7F == 0, exits.contains(status >> 8) else {
            throw Failure(command: description, reason: "it ended with wait status \(status)")
        }
        let (seconds, attoseconds) = duration.components
        return Cost(seconds: Double(seconds) + Double(attoseconds) * 1e-18, memory: usage.ru_maxrss * 1024)
    }

    /// Runs the program several times; returns the median time and the peak memory of all runs.
    func median(of runs: Int) throws(Failure) -> Cost { try Self.medians(of: runs, [self])[0] }

    /// Runs several programs in turn, so that a temporary slowdown of the machine affects all of them. Returns the
    /// median time and the peak memory of each.
    static func medians(of runs: Int, _ children: [Child]) throws(Failure) -> [Cost] {
        var costs = children.map { _ in [Cost]() }
        for _ in 0..<runs {
            for (index, child) in children.enumerated() { costs[index].append(try child.run()) }
        }
        return costs.map { costs in
            let seconds = costs.map(\.seconds).sorted()[costs.count / 2]
            return Cost(seconds: seconds, memory: costs.map(\.memory).max() ?? 0)
        }
    }

    private func spawn() throws(Failure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var process: pid_t = 0
        let fault = unsafe posix_spawnp(&process, path, &actions, nil, words, environ)
        guard fault == 0 else { throw Failure(command: description, reason: unsafe String(cString: strerror(fault))) }
        return process
    }

    /// The program could not be started, or exited with an unaccepted code.
    struct Failure: Error, CustomStringConvertible {
        var command: String
        var reason: String

        var description: String { "\(command): \(reason)" }
    }
}

extension Child: CustomStringConvertible {
    var description: String { ([path] + arguments).joined(separator: " ") }
}
