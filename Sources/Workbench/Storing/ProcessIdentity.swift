import BluetoothCrypto
import Bytes
import Captures
import Glibc
import PluginKit
package import Profile

/// A process that other processes recognize after its end: its machine and boot, its PID namespace, its number and its
/// start.
package struct ProcessIdentity: Hashable, Sendable {
    /// Digest of the machine's ID, which is not to be disclosed (machine-id(5)); `-` for a machine without one.
    var machine: String
    /// The kernel's random ID of the boot.
    var boot: String
    var namespace: String
    var number: Int32
    /// Clock ticks from the boot to the start of the process.
    var start: String

    /// This process; nil on a system without `/proc`.
    package static let own = ProcessIdentity()

    private init?() {
        guard let boot = Self.contents(of: "/proc/sys/kernel/random/boot_id"),
            let namespace = Folder.linkTarget(of: "/proc/self/ns/pid"), let status = Self.status(of: getpid())
        else { return nil }
        let digest = Self.contents(of: "/etc/machine-id").map { SHA256.digest(of: Array($0.utf8)) }
        machine = digest.map { $0.prefix(8).map { String(hex: $0, digits: 2) }.joined() } ?? "-"
        (self.boot, self.namespace, number, start) = (boot, namespace, getpid(), status.start)
    }

    /// Parses the form of `text`.
    package init?(_ text: String) {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 5, let number = Int32(parts[3]), number > 0 else { return nil }
        (machine, boot, namespace, self.number, start) = (parts[0], parts[1], parts[2], number, parts[4])
    }

    /// The parts, separated by spaces.
    package var text: String { "\(machine) \(boot) \(namespace) \(number) \(start)" }

    /// Whether the process runs; nil if that cannot be known, as for one of another machine or container.
    package var isRunning: Bool? {
        guard let own = Self.own else { return nil }
        // A boot of the same machine ends all processes of the one before.
        guard boot == own.boot else { return machine == own.machine && machine != "-" ? false : nil }
        guard namespace == own.namespace else { return nil }
        if kill(number, 0) != 0, errno == ESRCH { return false }
        guard let status = Self.status(of: number) else { return nil }
        return status.start == start && !["Z", "X"].contains(status.state)
    }

    /// State and start of a process (proc_pid_stat(5)); nil if they cannot be read.
    private static func status(of number: Int32) -> (state: String, start: String)? {
        // The name of the program, in parentheses, may contain any character.
        guard let fields = contents(of: "/proc/\(number)/stat")?.split(separator: ")").last?.split(separator: " "),
            fields.count > 19
        else { return nil }
        return (String(fields[0]), String(fields[19]))
    }

    private static func contents(of path: String) -> String? {
        guard let bytes = try? TextFile.readBytes(path, atMost: 4096, else: "not a file of the kernel") else {
            return nil
        }
        let text = String(decoding: bytes.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}

extension StoredRow {
    /// A session with `is_running`: 1 while the program that began it runs and has not ended it, else 0; without it if
    /// that is not known.
    package var withProgramState: StoredRow {
        let isRunning = self["ended_at"] == .absent ? text("process").flatMap { ProcessIdentity($0)?.isRunning } : false
        guard let isRunning else { return self }
        var row = self
        row.fields.append((name: "is_running", value: .integer(isRunning ? 1 : 0)))
        return row
    }
}
