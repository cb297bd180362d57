import CBluetooth
import Captures
import Glibc

/// The rights that opening an adapter takes, and giving them up when it is open.
package enum Privileges {
    /// How a user gets the right to listen; for messages.
    package static let advice =
        "run it by sudo, or give the program the right: sudo setcap cap_net_raw,cap_net_admin+eip \(program)"

    /// The path of this program.
    package static var program: String { Folder.linkTarget(of: "/proc/self/exe") ?? "gattbench" }

    /// Starts this program anew with the rights to capture where it has them not, if a package gives them to a group of this
    /// user: by `gattbench-capture`, which stands beside it and has the rights as file capabilities. Does not return then.
    static func acquire() {
        guard capabilities & rights != rights, let slash = program.lastIndex(of: "/") else { return }
        let path = String(program[...slash]) + "gattbench-capture"
        guard unsafe access(path, X_OK) == 0, unsafe getxattr(path, "security.capability", nil, 0) > 0 else { return }
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        _ = unsafe execv(path, &arguments)
        for index in unsafe arguments.indices { unsafe free(arguments[index]) }
    }

    /// The capabilities that this process has, as bits (`linux/capability.h`).
    static var capabilities: UInt32 {
        var header: [UInt32] = [0x2008_0522, 0]
        var data = [UInt32](repeating: 0, count: 6)
        return unsafe capget(&header, &data) == 0 ? data[0] : 0
    }

    /// Gives up every right that was there for opening something, for this thread and those that it starts.
    ///
    /// Under sudo the program goes on as the user who called it, so files that it writes are theirs. Root itself keeps
    /// the right to write its files wherever they are.
    package static func drop() {
        if let caller = callerOfSudo {
            setgroups(0, nil)
            guard setgid(caller.group) == 0, setuid(caller.user) == 0 else { return }
        } else if geteuid() != getuid() {
            setuid(getuid())
        }
        keep(geteuid() == 0 ? [writeAnywhere] : [])
    }

    /// Who called sudo, where this is root because of it.
    private static var callerOfSudo: (user: uid_t, group: gid_t)? {
        guard geteuid() == 0, let user = number("SUDO_UID"), let group = number("SUDO_GID"), user != 0 else {
            return nil
        }
        return (user, group)
    }

    private static func number(_ variable: String) -> UInt32? {
        unsafe getenv(variable).flatMap { UInt32(unsafe String(cString: $0)) }
    }

    /// Keeps these capabilities of those that the process has, and no others.
    private static func keep(_ capabilities: [UInt32]) {
        let mask = capabilities.reduce(UInt32(0)) { $0 | 1 << $1 }
        // Version 3 of the call and this thread; effective, permitted and inheritable ones, the lower 32 and the upper.
        var header: [UInt32] = [0x2008_0522, 0]
        let data: [UInt32] = [mask, mask, 0, 0, 0, 0]
        _ = unsafe capset(&header, data)
    }

    /// Taking adapters and opening raw sockets.
    private static let rights: UInt32 = takeAdapters | openRawSockets
    static let takeAdapters: UInt32 = 1 << 12
    static let openRawSockets: UInt32 = 1 << 13

    /// Writing files whoever owns them (`linux/capability.h`).
    private static let writeAnywhere: UInt32 = 1
}
