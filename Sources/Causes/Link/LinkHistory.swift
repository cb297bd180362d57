import Bytes
import PluginKit

/// How a connection was set up, kept and ended, for the causes of lost and refused connections.
package final class LinkHistory {
    func handle(_ event: Event, on session: Session) {
    }

    func finish(_ session: Session, at time: Timestamp) {
    }
}
