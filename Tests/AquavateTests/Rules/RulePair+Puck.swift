import Aquavate
import Bluetooth
import PDUTestKit
import PluginKit
import TestKit

extension RulePair {
    /// Of HCI, with a puck of a dialect.
    init(
        _ rule: String, _ dialect: PuckSession.Dialect = .shipped, besides: Set<String> = [], implies: Set<String> = [],
        _ script: @escaping @Sendable (PuckSession, Bool) -> Void
    ) {
        self.init(rule, besides: besides, implies: implies) { isBroken in
            let session = PuckSession(dialect)
            script(session, isBroken)
            return (session.recording, session.fault)
        }
    }

    /// Of a puck that is connected and subscribed to.
    static func connected(
        _ rule: String, _ dialect: PuckSession.Dialect = .shipped, besides: Set<String> = [], implies: Set<String> = [],
        _ script: @escaping @Sendable (PuckSession, Bool) -> Void
    ) -> RulePair {
        RulePair(rule, dialect, besides: besides, implies: implies) { session, isBroken in
            session.begin()
            script(session, isBroken)
            session.end()
        }
    }

    /// About the attributes of a puck; the response that lists an attribute breaks the rule, by default the last one of
    /// discovery.
    static func table(
        _ rule: String, _ dialect: PuckSession.Dialect, _ faulty: ServerLayout,
        at attribute: @escaping @Sendable (ServerLayout) -> Handle? = { _ in nil }
    ) -> RulePair {
        RulePair(rule) { isBroken in
            let session = PuckSession(dialect, layout: isBroken ? faulty : nil)
            session.begin(subscribes: [], setsTime: false)
            session.faultLast()
            if let handle = attribute(session.layout) { session.faultResponse(listing: handle) }
            if dialect == .shipped { session.setTime() }
            session.end()
            return (session.recording, session.fault)
        }
    }
}

/// The plugin with all that it has.
let aquavate: [DevicePlugin] = {
    guard let profile = try? VectorTests.puck.get().compiled else { return [] }
    return [DevicePlugin(profile, behaviour: Aquavate.behaviour)]
}()
