import Conformance
import PluginKit
import Profile
import TestKit
import Testing

/// What a visit does that breaks one rule, and the frames that it must be found at.
struct Breach: Sendable, CustomTestStringConvertible {
    var rule: String
    /// Other rules of severity error that cannot but be broken too.
    var others: Set<String> = []
    var isWarning = false
    var act: @Sendable (KettleVisit) -> [Int]

    var testDescription: String { rule }
}

struct DeclaredRuleTests {
    /// A visit that obeys all rules.
    private func goodVisit() -> KettleVisit {
        let visit = KettleVisit()
        visit.link.read(Kettle.status, [0, 20, 0])
        visit.command(1)
        visit.answer(1, after: 1)
        visit.status(1, 20)
        visit.status(2, 95, 1)
        visit.status(3, 90, 2)
        visit.status(4, 30, 0)
        visit.command(9)
        return visit
    }

    @Test(arguments: [
        "K-LENGTH", "K-CHECK", "K-RISES", "K-STEPS", "K-SEQUENCE", "K-REPLY", "K-PERIOD", "K-ORDER", "K-NEVER",
    ])
    func obeyed(_ rule: String) throws {
        let checked = try goodVisit().checked()
        #expect(checked.verdicts(rule) == [.pass])
    }

    static let breaches: [Breach] = [
        Breach(rule: "K-LENGTH") { visit in
            visit.link.notify(Kettle.status, [1, 20])
            return [visit.frame]
        },
        Breach(rule: "K-CHECK") { visit in
            visit.status(1, 20)
            return [visit.status(2, 101, 1)]
        },
        Breach(rule: "K-RISES") { visit in
            visit.status(5)
            return [visit.status(4)]
        },
        Breach(rule: "K-STEPS", isWarning: true) { visit in
            visit.status(5)
            return [visit.status(7)]
        },
        Breach(rule: "K-SEQUENCE") { visit in
            visit.status(1)
            return [visit.status(2, 20, 2)]
        },
        Breach(rule: "K-REPLY") { visit in
            let frame = visit.command(1)
            visit.answer(1, after: 3)
            return [frame]
        },
        Breach(rule: "K-REPLY") { visit in
            let frame = visit.command(1)
            visit.answer(2, after: 1)
            visit.status(1)
            return [frame]
        },
        Breach(rule: "K-PERIOD", isWarning: true) { visit in
            visit.status(1)
            return [visit.status(2, after: 12)]
        },
        Breach(rule: "K-NEVER") { visit in
            visit.status(1)
            visit.command(9)
            return [visit.status(2)]
        },
    ]

    @Test(arguments: breaches)
    func broken(_ breach: Breach) throws {
        let visit = KettleVisit()
        let frames = breach.act(visit)
        let checked = try visit.checked()
        #expect(checked.verdicts(breach.rule) == [breach.isWarning ? .warning : .fail])
        #expect(checked.frames(breach.rule) == frames)
        #expect(checked.broken == (breach.isWarning ? [] : [breach.rule]))
        let announced = checked.news.filter { $0.rule.id == breach.rule }.map(\.severity)
        #expect(announced == [breach.isWarning ? .warning : .error])
    }

    @Test func orderNeedsWhatCameBefore() throws {
        let visit = KettleVisit(subscribes: false)
        let frame = visit.command(1)
        let checked = try visit.checked()
        #expect(checked.verdicts("K-ORDER") == [.fail])
        #expect(checked.frames("K-ORDER") == [frame])
        // Nobody has subscribed to the answer, so that none is due.
        #expect(checked.verdicts("K-REPLY").map(\.name) == ["not_applicable"])
    }

    @Test func findingsSayWhatWasExpectedAndSeen() throws {
        let visit = KettleVisit()
        visit.status(1, 101, 1)
        let finding = try #require(try visit.checked().findings("K-CHECK").first)
        #expect(finding.expected == "temperature <= 100 && u8(0) != 255")
        #expect(finding.observed == "temperature = 101, u8(0) = 0x01")
        #expect(finding.bytes == [1, 101, 1])
    }

    @Test func countersWrap() throws {
        let visit = KettleVisit()
        visit.status(255)
        visit.status(0)
        let checked = try visit.checked()
        #expect(checked.verdicts("K-RISES") == [.pass])
        #expect(checked.verdicts("K-STEPS") == [.pass])
    }
}
