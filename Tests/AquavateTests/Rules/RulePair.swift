import Aquavate
import Conformance
import PluginKit
import TestKit

/// Two sessions about a rule: one obeys it, the other breaks it and nothing else.
struct RulePair: Sendable, CustomTestStringConvertible {
    var rule: String
    /// Rules of severity error that both sessions break: what the rule is about does not come up otherwise.
    var besides: Set<String> = []
    /// Rules of severity error that are broken by whoever breaks this one.
    var implies: Set<String> = []
    /// Makes one of them: its packets, and the frame that breaks the rule.
    var make: @Sendable (_ isBroken: Bool) -> (recording: Recording, fault: Int)

    var testDescription: String { rule }

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

    init(
        _ rule: String, besides: Set<String> = [], implies: Set<String> = [],
        make: @escaping @Sendable (Bool) -> (recording: Recording, fault: Int)
    ) {
        self.rule = rule
        self.besides = besides
        self.implies = implies
        self.make = make
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

    /// About the attributes of a puck; the last answer of discovery breaks the rule.
    static func table(
        _ rule: String, _ dialect: PuckSession.Dialect = .shipped, _ faulty: ServerLayout
    ) -> RulePair {
        RulePair(rule) { isBroken in
            let session = PuckSession(dialect, layout: isBroken ? faulty : nil)
            session.begin(subscribes: [], setsTime: false)
            session.faultLast()
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
