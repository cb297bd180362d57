import PluginKit

/// Whether two devices were bonded by earlier connections.
package struct BondHistory: Sendable {
    /// The connection whose traffic showed last that both devices have a key, and the frame that shows it.
    private(set) var bonded: (connection: Int, frame: FrameReference)?

    mutating func record(_ session: Session) {
        guard let change = session.security.bondChange else { return }
        bonded = change.isBonded ? (session.connection.number, change.frame) : nil
    }
}
