import Aquavate
import Bluetooth
import PDUTestKit
import PluginKit
import TestKit

extension RulePair {
    /// A pair recorded at HCI, with a puck of a dialect.
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

    /// A pair whose puck is connected, with the client subscribed.
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

    /// A pair about a puck's attribute table. The response that lists `attribute`, by default the last one of
    /// discovery, breaks the rule.
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

/// The complete plugin: profile and behaviour.
let aquavate: [DevicePlugin] = {
    guard let profile = try? VectorTests.puck.get().compiled else { return [] }
    return [DevicePlugin(profile, behaviour: Aquavate.behaviour)]
}()
