import Glibc
import Hummingbird
import HummingbirdCore

/// Leaves connections in the kernel's queue while the server is at its connection limit.
///
/// The limit leaves half of the process's file descriptors for files.
struct ConnectionLimit: AvailableConnectionsDelegate {
    private let limit: Int
    private var count = 0

    /// Number of connections accepted at once, between two checks of the limit.
    private static let batch = 4

    init(_ limit: Int) {
        let descriptors = sysconf(Int32(_SC_OPEN_MAX))
        self.limit = descriptors > 0 ? min(limit, max(descriptors / 2, Self.batch)) : limit
    }

    mutating func connectionOpened() { count += 1 }
    mutating func connectionClosed() { count -= 1 }
    func isAcceptingNewConnections() -> Bool { count + Self.batch <= limit }
}
