package import PluginKit

/// What the capture showed outside connections and on earlier ones: advertising, attempts to connect, and what is known of
/// each pair of devices.
package final class CaptureHistory {
    /// Two devices that were connected, by their indices among the devices of the capture.
    package struct Pair: Hashable {
        package var sender: Int32
        package var receiver: Int32

        /// Nil where one of the two is not known.
        package init?(_ connection: Connection) {
            guard connection.sender >= 0, connection.receiver >= 0 else { return nil }
            sender = connection.sender
            receiver = connection.receiver
        }
    }

    /// What earlier connections showed of a pair of devices.
    package struct PairHistory {
        /// Number of the last connection of the pair that ended.
        package var connection = 0
        package var bond = BondHistory()
        package var server = ServerHistory()
    }

    package let advertising = AdvertisingHistory()
    package private(set) var linkKeys = LinkKeyReplies()
    private var pairs: [Pair: PairHistory] = [:]

    /// Pairs of devices that are kept.
    private static let pairLimit = 1024

    func handle(_ event: Event, on session: Session) {
        advertising.handle(event, on: session)
        linkKeys.handle(event)
    }

    /// Keeps what a session that has ended showed of its devices.
    func record(_ session: Session) {
        guard !session.isRecorded else { return }
        session.isRecorded = true
        guard let pair = Pair(session.connection), pairs[pair] != nil || pairs.count < Self.pairLimit else { return }
        var history = pairs[pair] ?? PairHistory()
        history.connection = session.connection.number
        history.bond.record(session)
        history.server.record(session)
        pairs[pair] = history
    }

    /// What earlier connections between the same two devices showed; nil for none.
    package func earlier(than session: Session) -> PairHistory? { Pair(session.connection).flatMap { pairs[$0] } }
}
