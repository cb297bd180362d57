import Glibc
import Hummingbird
import HummingbirdCore

/// Leaves connections in the kernel's queue while the server has as many as it may have.
///
/// Half of the process's file descriptors are left for files, so that connections do not use them up.
struct ConnectionLimit: AvailableConnectionsDelegate {
    private let limit: Int
    private var count = 0

    /// Connections that the server accepts at once, between two looks at the limit.
    private static let batch = 4

    init(_ limit: Int) {
        let descriptors = sysconf(Int32(_SC_OPEN_MAX))
        self.limit = descriptors > 0 ? min(limit, max(descriptors / 2, Self.batch)) : limit
    }

    mutating func connectionOpened() { count += 1 }
    mutating func connectionClosed() { count -= 1 }
    func isAcceptingNewConnections() -> Bool { count + Self.batch <= limit }
}
