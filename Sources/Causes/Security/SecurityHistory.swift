import Bytes
import PluginKit

/// Pairing and encryption of a connection, for the causes of their failures.
package final class SecurityHistory {
    func handle(_ event: Event, on session: Session) {
    }

    func finish(_ session: Session, at time: Timestamp) {
    }
}

/// Whether two devices were bonded by earlier connections.
package struct BondHistory {
    mutating func record(_ session: Session) {
    }
}
