import Bytes
import PluginKit
import Profile

/// Duration of advertising after a wake-up in the dialect `prd`: AQ-010 and AQ-011.
struct PRDAdvertisingTimes: Rule {
    private var first: FrameReference?
    private var last: FrameReference?
    /// The last reported number of pending records.
    private var pending: Int?
    /// Whether AQ-011 has failed for the period.
    private var isBroken = false
    /// Whether silence without a connection preceded the period, which then begins with a wake-up.
    private var isWholeAwake = false

    var rules: [RuleIndex] { [.aq010, .aq011] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { [.advertising, .values(of: .syncStatus)] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        switch event.content {
        case .opened: (first, last, isWholeAwake) = (nil, nil, false)
        case .advertised(let advertisement) where advertisement.kind != .scanResponse:
            if let last, event.moment.seconds(since: last) > 5 {
                settle(&report)
                checkLength(&report)
                (first, isWholeAwake) = (nil, advertisement.isFromAir)
            }
            if first == nil { (first, isBroken) = (event.moment, false) }
            last = event.moment
            check(event.moment, &report)
        default:
            if case .pending(let count)? = event.puckValue { pending = count }
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        settle(&report)
        if let last, end.time - last.time > TimeSpan(seconds: 5) { checkLength(&report) }
    }

    /// AQ-010: only captures from the air show when advertising ends.
    private func checkLength(_ report: inout RuleReport) {
        guard isWholeAwake, let first, let last else { return }
        let length = last.seconds(since: first)
        // The last advertisement comes up to an interval before the end.
        if length >= 27.9 { return report.pass(.aq010, connection: 0) }
        report.fail(
            .aq010, expected: "advertising for 29 s at least", observed: "for \(length.secondsText)",
            at: [first, last], bytes: [])
    }

    private mutating func check(_ moment: FrameReference, _ report: inout RuleReport) {
        guard let first, !isBroken else { return }
        let length = moment.seconds(since: first)
        let limit = pending == 0 ? 31.0 : 245.0
        guard length > limit else { return }
        isBroken = true
        report.fail(
            .aq011, expected: "the end of advertising within \(limit.secondsText)",
            observed: "an advertisement after \(length.secondsText)", at: [first, moment])
    }

    private mutating func settle(_ report: inout RuleReport) {
        guard let first, let last, !isBroken else { return }
        if pending != nil || last.seconds(since: first) <= 31 {
            report.pass(.aq011, connection: 0)
        } else {
            report.inconclusive(.aq011, "how many records were pending is not told", connection: 0)
        }
    }
}
