import CBluetooth
import Glibc

/// Core dumps of this process, which would have the keys in its memory.
package enum CoreDumps {
    /// Forbids them, and reading the memory by other processes of the user, until the process executes another program.
    package static func forbid() {
        _ = gattbench_forbid_core_dumps()
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
}
