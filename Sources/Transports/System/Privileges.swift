import CBluetooth
import Captures
import Glibc

/// Capabilities required to open an adapter, and dropping them afterwards.
package enum Privileges {
    /// Advice on obtaining the capabilities, for diagnostics.
    package static let advice =
        "run it by sudo, or give the program the right: sudo setcap cap_net_raw,cap_net_admin+eip \(program)"

    /// The path of this program.
    package static var program: String { Folder.linkTarget(of: "/proc/self/exe") ?? "gattbench" }

    /// Restarts this program with the capabilities for capturing if it lacks them and a package grants them to one of
    /// the user's groups: through `gattbench-capture`, which is installed next to it with file capabilities. Does not
    /// return in that case.
    static func acquire() {
        guard capabilities & rights != rights, let slash = program.lastIndex(of: "/") else { return }
        let path = String(program[...slash]) + "gattbench-capture"
        guard unsafe access(path, X_OK) == 0, unsafe getxattr(path, "security.capability", nil, 0) > 0 else { return }
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        _ = unsafe execv(path, &arguments)
        for index in unsafe arguments.indices { unsafe free(arguments[index]) }
    }

    /// Effective capabilities of this process, as bits (`linux/capability.h`).
    static var capabilities: UInt32 {
        var header: [UInt32] = [0x2008_0522, 0]
        var data = [UInt32](repeating: 0, count: 6)
        return unsafe capget(&header, &data) == 0 ? data[0] : 0
    }

    /// Drops all capabilities needed only for opening, for this thread and the threads that it starts.
    ///
    /// Under sudo, the program continues as the calling user, who then owns the files it writes. Root itself keeps the
    /// capability to write its files anywhere.
    package static func drop() {
        if let caller = callerOfSudo {
            setgroups(0, nil)
            guard setgid(caller.group) == 0, setuid(caller.user) == 0 else { return }
        } else if geteuid() != getuid() {
            setuid(getuid())
        }
        keep(geteuid() == 0 ? [writeAnywhere] : [])
    }

    /// The calling user, if the process is root through sudo.
    private static var callerOfSudo: (user: uid_t, group: gid_t)? {
        guard geteuid() == 0, let user = number("SUDO_UID"), let group = number("SUDO_GID"), user != 0 else {
            return nil
        }
        return (user, group)
    }

    private static func number(_ variable: String) -> UInt32? {
        unsafe getenv(variable).flatMap { UInt32(unsafe String(cString: $0)) }
    }

    /// Drops all capabilities except these.
    private static func keep(_ capabilities: [UInt32]) {
        let mask = capabilities.reduce(UInt32(0)) { $0 | 1 << $1 }
        // Version 3 of the call, for this thread; effective, permitted and inheritable sets, the lower 32 bits and the
        // upper.
        var header: [UInt32] = [0x2008_0522, 0]
        let data: [UInt32] = [mask, mask, 0, 0, 0, 0]
        _ = unsafe capset(&header, data)
    }

    /// Capabilities for claiming adapters and opening raw sockets.
    private static let rights: UInt32 = takeAdapters | openRawSockets
    static let takeAdapters: UInt32 = 1 << 12
    static let openRawSockets: UInt32 = 1 << 13

    /// CAP_DAC_OVERRIDE: writing files of any owner (`linux/capability.h`).
    private static let writeAnywhere: UInt32 = 1
}

/// Core dumps of this process, which would have the keys in its memory.
package enum CoreDumps {
    /// Forbids them, and reading the memory by other processes of the user, until the process executes another program.
    package static func forbid() {
        _ = gattbench_forbid_core_dumps()
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
}
