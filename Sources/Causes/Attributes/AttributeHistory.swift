import Bytes
import PluginKit

/// Requests, subscriptions and values of a connection, for the causes of their failures.
package final class AttributeHistory {
    func handle(_ event: Event, on session: Session) {
    }

    func finish(_ session: Session, at time: Timestamp) {
    }
}

/// The attribute table and the subscriptions of earlier connections of two devices.
package struct ServerHistory {
    mutating func record(_ session: Session) {
    }
}
