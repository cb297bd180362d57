import Bytes
import Conformance
import Conversation
import Output
import PluginKit
import Profile
import TestKit
import Testing

/// Values whose length or bytes the profile does not allow, without a declared rule about them.
struct ValueFormTests {
    private func checked(_ act: (KettleVisit) -> Void) throws -> CheckedCapture {
        let visit = KettleVisit()
        act(visit)
        return try visit.checked()
    }

    @Test func aValueThatItsTypeDoesNotReadIsAFinding() throws {
        let checked = try checked { $0.link.indicate(Kettle.answer, [0x80]) }
        #expect(checked.verdicts("KETTLE-ANSWER-VALUE") == [.fail])
        let finding = try #require(checked.findings("KETTLE-ANSWER-VALUE").first)
        #expect(finding.expected == "Answer of 2 bytes")
        #expect(finding.observed == "1 byte, Command: needs 1 byte, 0 left")
        #expect(finding.bytes == [0x80])
        #expect(checked.report.quality.undecodedValues == 1)
    }

    /// The type has no maximum length: its range of lengths has more members than an `Int` can count.
    @Test func aValueOfATypeWithoutAnEndIsAFinding() throws {
        let profile = Kettle.profile.replacing(
            "answer: {fields: [{name: kind, type: u8}, {name: command, type: u8}]}",
            with: "answer: {fields: [{name: kind, type: u8}, {name: commands, type: u16, count: rest}]}")
        let plugin = DevicePlugin(try CompiledProfile(ProfileReader.read(profile, file: "kettle/profile.yaml")))
        let visit = KettleVisit()
        visit.link.indicate(Kettle.answer, [0x80, 1, 2, 3])
        let checked = CheckedCapture(visit.session.recording, plugins: [plugin])
        let finding = try #require(checked.findings("KETTLE-ANSWER-VALUE").first)
        #expect(finding.expected == "Answer of 1 byte or more")
        #expect(finding.bytes == [0x80, 1, 2, 3])
    }

    @Test func bytesAfterAValueAreAFinding() throws {
        let checked = try checked { $0.link.indicate(Kettle.answer, [0x80, 1, 9]) }
        let finding = try #require(checked.findings("KETTLE-ANSWER-VALUE").first)
        #expect(finding.expected == "Answer of 2 bytes")
        #expect(finding.observed == "3 bytes, of which the type reads 2")
    }

    @Test func whatAClientWritesHasARuleOfItsOwn() throws {
        let checked = try checked { $0.link.write(Kettle.command, [1, 2]) }
        #expect(checked.verdicts("KETTLE-COMMAND-WRITE") == [.fail])
        let rule = try #require(checked.report.rules.first { $0.id == "KETTLE-COMMAND-WRITE" })
        #expect(rule.role == .client && rule.plugin == "kettle")
    }

    @Test func goodValuesPass() throws {
        let checked = try checked { visit in
            visit.command(1)
            visit.answer(1)
            visit.status(1)
        }
        for rule in ["KETTLE-STATUS-VALUE", "KETTLE-ANSWER-VALUE", "KETTLE-COMMAND-WRITE"] {
            #expect(checked.verdicts(rule) == [.pass], "\(rule)")
        }
    }

    /// The declared rule reports the fault.
    @Test func aDeclaredRuleThatIsBrokenStandsAlone() throws {
        let checked = try checked { $0.link.notify(Kettle.status, [1, 20]) }
        #expect(checked.verdicts("K-LENGTH") == [.fail])
        #expect(checked.findings("KETTLE-STATUS-VALUE").isEmpty)
    }

    @Test func itCanBeWaived() throws {
        var report = try checked { $0.link.indicate(Kettle.answer, [0x80]) }.report
        let waivers = "waivers: [{rule: KETTLE-ANSWER-VALUE, reason: known}]"
        report.apply(try WaiverReader.read(waivers, file: "w.yaml"), on: CivilDate("2026-07-01")!)
        #expect(report.results.first { report.rules[$0.rule].id == "KETTLE-ANSWER-VALUE" }?.verdict == .waived)
        #expect(report.unusedWaivers.isEmpty)
    }
}

/// The text of a finding in reports: sender, time, references and consequences.
struct FindingMessageTests {
    @Test func aPlaceHasSenderReferencesAndMilliseconds() throws {
        let visit = KettleVisit()
        let frame = visit.status(1, 120, 1)
        let report = try visit.checked().report
        let words = ReportWords(report)
        let result = try #require(report.results.first { report.rules[$0.rule].id == "K-CHECK" })
        let finding = try #require(result.tally.findings.first)
        let place = words.place(of: finding, result)
        #expect(place.contains("frame \(frame), c0:00:00:00:00:07 → central, at "))
        #expect(place.hasSuffix("00 s"))
    }

    @Test(
        arguments: [
            (12_345, "12.345 s"), (192_345, "3 min 12.345 s"), (18_120_007, "5 h 2 min 0.007 s"),
        ] as [(Int64, String)])
    func timesHaveMilliseconds(milliseconds: Int64, text: String) {
        #expect(TimeText.span(TimeSpan(milliseconds: milliseconds)) == text)
    }

    /// One frame breaks K-RISES and K-STEPS: the warning is listed under the error.
    @Test func whatFollowsFromACauseIsListedUnderIt() throws {
        let visit = KettleVisit()
        visit.status(9)
        let frame = visit.status(3)
        let report = try visit.checked().report
        let words = ReportWords(report)
        let rises = try #require(report.rules.firstIndex { $0.id == "K-RISES" })
        let steps = try #require(report.results.first { report.rules[$0.rule].id == "K-STEPS" })
        #expect(words.effects(of: rises) == ["K-STEPS by one, frame \(frame)"])
        #expect(words.isEffect(steps))
        #expect(try JSONReport(report).text().contains("\"follows\": {"))
        let annotations = try AnnotationReport(report).text()
        #expect(annotations.contains("follows from it: K-STEPS by one, frame \(frame)"))
        #expect(!annotations.contains("title=K-STEPS"))
        for text in [try MarkdownReport(report).text(), try JUnitReport(report).text(), try TAPReport(report).text()] {
            #expect(text.contains("K-STEPS") && text.contains("K-RISES"))
        }
        #expect(try SARIFReport(report).text().contains("follows from K-RISES in frame \(frame)"))
    }

    /// K-RISES compares a number with that of the frame that breaks K-CHECK, whose fault is unrelated.
    @Test func aComparisonDoesNotFollowFromWhatElseIsWrongWithTheEarlierValue() throws {
        let visit = KettleVisit()
        visit.status(8)
        visit.status(9, 120, 1)
        let frame = visit.status(3, 20, 1)
        let report = try visit.checked().report
        let words = ReportWords(report)
        let check = try #require(report.rules.firstIndex { $0.id == "K-CHECK" })
        let rises = try #require(report.results.first { report.rules[$0.rule].id == "K-RISES" })
        #expect(rises.tally.findings.map { $0.moments.count } == [2])
        #expect(words.effects(of: check).isEmpty)
        #expect(!words.isEffect(rises))
        #expect(words.effects(of: rises.rule) == ["K-STEPS by one, frame \(frame)"])
    }

    /// K-NEVER refers to a stop command that the client wrote with a wrong length.
    @Test func aReactionFollowsFromWhatTheOtherSideSentWrong() throws {
        let visit = KettleVisit()
        visit.link.write(Kettle.command, [9, 2])
        let frame = visit.status(1)
        let report = try visit.checked().report
        let words = ReportWords(report)
        let write = try #require(report.rules.firstIndex { $0.id == "KETTLE-COMMAND-WRITE" })
        #expect(words.effects(of: write) == ["K-NEVER nothing after stop, frame \(frame)"])
    }

    @Test func aWaiverOfAnUnknownRuleIsNamedAsSuch() throws {
        let visit = KettleVisit()
        visit.status(1)
        var report = try visit.checked().report
        let waivers = "waivers: [{rule: K-LENGHT, reason: x}, {rule: K-LENGTH, reason: y}]"
        report.apply(try WaiverReader.read(waivers, file: "w.yaml"), on: CivilDate("2026-07-01")!)
        let words = ReportWords(report)
        #expect(
            report.unusedWaivers.map(words.unused) == [
                "the waiver of K-LENGHT in line 1: unknown rule; did you mean K-LENGTH?",
                "the waiver of K-LENGTH in line 1 is unused",
            ])
    }

    @Test(arguments: ["", "\n\n", "# nothing yet\n", "---\n# nothing\n"])
    func aFileWithoutWaiversIsFine(text: String) throws {
        #expect(try WaiverReader.read(text, file: "w.yaml").isEmpty)
    }
}
