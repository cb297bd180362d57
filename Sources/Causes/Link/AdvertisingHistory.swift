import PluginKit

/// Advertising, scanning and attempts to connect, for the causes of connections that did not come about.
package final class AdvertisingHistory {
    func handle(_ event: Event, on session: Session) {
    }
}
