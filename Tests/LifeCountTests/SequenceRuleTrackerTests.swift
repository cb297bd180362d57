import Testing

@testable import LifeCount

/// Sequence number tracking, rule by rule of the section "Integrity".
struct SequenceRuleTrackerTests {
    @Test func numbersThatFollowEachOtherAreInOrder() {
        #expect(verdicts([event(41), event(42), event(43)]) == [.first, .inOrder, .inOrder])
    }

    @Test func aGapSaysHowManyAreMissing() {
        #expect(
            verdicts([event(42), event(46), event(48)])
                == [.first, .missing(count: 3, from: 43), .missing(count: 1, from: 47)])
        #expect(SequenceRuleTracker.Verdict.missing(count: 3, from: 43).warning == "3 events missing: 43 to 45")
        #expect(SequenceRuleTracker.Verdict.missing(count: 1, from: 47).warning == "1 event missing: 47")
    }

    @Test func aLowerNumberIsAResetAndNeverMissing() {
        #expect(
            verdicts([event(42), event(0, isFirst: true), event(1)])
                == [.first, .reset(from: 42, isConfirmed: true), .inOrder])
        #expect(
            verdicts([event(42), event(7), event(8)])
                == [.first, .reset(from: 42, isConfirmed: false), .inOrder])
    }

    @Test func theSameNumberTwiceIsADuplicate() {
        #expect(verdicts([event(42), event(42), event(43)]) == [.first, .duplicate(isReplayed: false), .inOrder])
    }

    @Test func aReplayOfAnAcceptedNumberIsADuplicate() {
        #expect(
            verdicts([event(41), event(42), event(41, isReplayed: true), event(42, isReplayed: true), event(43)])
                == [.first, .inOrder, .duplicate(isReplayed: true), .duplicate(isReplayed: true), .inOrder])
    }

    @Test func aReplayFillsAGap() {
        let events = [
            event(42), event(46), event(44, isReplayed: true), event(43, isReplayed: true),
            event(45, isReplayed: true), event(44, isReplayed: true), event(47),
        ]
        #expect(
            verdicts(events) == [
                .first, .missing(count: 3, from: 43), .recovered, .recovered, .recovered,
                .duplicate(isReplayed: true), .inOrder,
            ])
    }

    @Test func aReplayOfWhatWasBeforeTheFirstIsNoReset() {
        let events = [
            event(42), event(40, isReplayed: true), event(41, isReplayed: true), event(40, isReplayed: true), event(43),
        ]
        #expect(verdicts(events) == [.first, .recovered, .recovered, .duplicate(isReplayed: true), .inOrder])
    }

    @Test func eventsKeptWhileDisconnectedAreInOrder() {
        #expect(
            verdicts([event(42), event(43, isReplayed: true), event(44, isReplayed: true), event(45)])
                == [.first, .inOrder, .inOrder, .inOrder])
    }

    @Test func zeroSucceedsTheHighestNumber() {
        #expect(
            verdicts([event(.max - 1), event(.max), event(0), event(1)]) == [.first, .inOrder, .inOrder, .inOrder])
    }

    @Test func aReplayIsFoundAcrossTheWrap() {
        let events = [
            event(.max - 1), event(.max), event(0), event(.max, isReplayed: true), event(2, isReplayed: true),
            event(1, isReplayed: true),
        ]
        #expect(
            verdicts(events) == [
                .first, .inOrder, .inOrder, .duplicate(isReplayed: true), .missing(count: 1, from: 1), .recovered,
            ])
    }

    @Test func theSameNumberWithAnotherContentContradicts() {
        let first = event(42)
        #expect(verdicts([first, event(42, delta: -1)]) == [.first, .contradiction(first)])
        #expect(
            verdicts([first, event(43), event(42, delta: -1, isReplayed: true)])
                == [.first, .inOrder, .contradiction(first)])
    }

    @Test func aRebootAfterASingleEventIsAReset() {
        #expect(
            verdicts([event(0, isFirst: true), event(0, delta: -1, isFirst: true)])
                == [.first, .reset(from: 0, isConfirmed: true)])
        #expect(
            verdicts([event(0, isFirst: true), event(0, isFirst: true)])
                == [.first, .duplicate(isReplayed: false)])
    }

    @Test func afterAResetOldContentsAreForgotten() {
        #expect(
            verdicts([event(1), event(2), event(0, isFirst: true), event(1, delta: -1), event(2, delta: -1)])
                == [.first, .inOrder, .reset(from: 2, isConfirmed: true), .inOrder, .inOrder])
    }

    @Test func theWidestGapIsCounted() {
        #expect(verdicts([event(0), event(.max)]) == [.first, .missing(count: .max - 1, from: 1)])
    }

    @Test func oldContentsAreForgottenButNotTheirNumbers() {
        var tracker = SequenceRuleTracker()
        for number in 0..<UInt32(SequenceRuleTracker.historyLimit + 10) { _ = tracker.classify(event(number)) }
        #expect(tracker.classify(event(3, delta: -1, isReplayed: true)) == .duplicate(isReplayed: true))
        #expect(tracker.classify(event(600, delta: -1, isReplayed: true)) == .contradiction(event(600)))
    }

    @Test func manyGapsDoNotGrowWithoutBound() {
        var tracker = SequenceRuleTracker()
        for step in 0..<UInt32(10 * SequenceRuleTracker.gapLimit) { _ = tracker.classify(event(2 * step)) }
        let last = UInt32(20 * SequenceRuleTracker.gapLimit) - 2
        #expect(tracker.classify(event(1, isReplayed: true)) == .duplicate(isReplayed: true))
        #expect(tracker.classify(event(last - 1, isReplayed: true)) == .recovered)
    }

    @Test func theFirstMissingNumberIsKnown() {
        var tracker = SequenceRuleTracker()
        #expect(tracker.firstMissing(from: nil) == nil)
        #expect(tracker.firstMissing(from: 7) == 7)
        for number in [42, 46, 48] as [UInt32] { _ = tracker.classify(event(number)) }
        let starts: [UInt32?] = [nil, 40, 42, 45, 46, 47, 48, 49, 60]
        #expect(starts.map { tracker.firstMissing(from: $0) } == [43, 40, 43, 45, 47, 47, 49, 49, 60])
        for number in 43...47 as ClosedRange<UInt32> { _ = tracker.classify(event(number, isReplayed: true)) }
        #expect(tracker.firstMissing(from: nil) == 49)
    }

    @Test func theFirstMissingNumberIsKnownAcrossTheWrap() {
        var tracker = SequenceRuleTracker()
        for number in [.max - 1, .max, 0] as [UInt32] { _ = tracker.classify(event(number)) }
        #expect(tracker.firstMissing(from: .max - 1) == 1)
        #expect(tracker.firstMissing(from: .max - 3) == UInt32.max - 3)
    }

    @Test func onlyTheUnexpectedIsAWarning() {
        #expect(SequenceRuleTracker.Verdict.inOrder.warning == nil)
        #expect(SequenceRuleTracker.Verdict.reset(from: 42, isConfirmed: true).warning == nil)
        #expect(
            SequenceRuleTracker.Verdict.reset(from: 42, isConfirmed: false).warning
                == "sequence reset (unconfirmed): after 42, without first_since_boot")
    }

    private func verdicts(_ events: [CountEvent]) -> [SequenceRuleTracker.Verdict] {
        var tracker = SequenceRuleTracker()
        return events.map { tracker.classify($0) }
    }

    /// An event whose time follows from its number.
    private func event(_ number: UInt32, delta: Int = 1, isReplayed: Bool = false, isFirst: Bool = false) -> CountEvent
    {
        CountEvent(
            header: .init(timestampValid: true, replayed: isReplayed, firstSinceBoot: isFirst),
            delta: delta, sequenceNumber: Int(number), timestampS: 1_772_366_398 + Int(number), timestampMs: 500,
            deviceId: 0x1E0F_A5C3, locationId: 7)
    }
}
