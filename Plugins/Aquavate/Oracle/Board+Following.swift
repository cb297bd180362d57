import PluginKit

extension Board {
    /// The board of a puck that follows a real one, of whose memory nothing is known.
    init(following dialect: Dialect, _ quirks: PuckQuirks) throws(TwinFault) {
        var memory = PuckMemory()
        memory.drinks = .unknown
        self.init(
            wire: try PuckWire(), quirks: quirks, identity: PuckIdentity(nil, dialect, quirks), memory: memory, seed: 1)
    }
}
