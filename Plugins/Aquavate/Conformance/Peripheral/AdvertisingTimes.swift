import Bytes
import PluginKit
import Profile

/// Times at which the puck advertises (sections 2.3 and 2.4). Only captures from the air have every advertisement: a
/// host's controller filters them.
struct AdvertisingTimes: Rule {
    private let pucks: PuckTracker

    init(_ pucks: PuckTracker) {
        self.pucks = pucks
    }

    /// Advertisements without a pause between them.
    private struct Period {
        var first: FrameReference
        var last: FrameReference
        /// Whether silence, not a connection, preceded it: it begins with a wake-up.
        var isWholeAwake: Bool
        var longestGap = TimeSpan.zero
    }

    private var period: Period?
    /// Gaps between advertisements of the period.
    private var gaps: [TimeSpan] = []
    /// Numbers of the open connections.
    private var openConnections: Set<Int> = []
    /// An advertisement during a connection; a violation only if the connection proves to be still open.
    private var suspect: FrameReference?
    /// The last advertisement, from the air or from a host's controller.
    private var lastHeard: FrameReference?
    private var hasAdvertised = false
    /// A disconnection without loss, which advertising must follow, and the last data activity before it.
    private var cleanEnd: (moment: FrameReference, activity: FrameReference?)?
    /// Whether every advertisement before the connection was captured.
    private var wasHeardWhole = false

    var rules: [RuleIndex] { [.aq006, .aq008, .aq009, .aq010] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { [.advertising, .requests, .allValues] }

    /// A pause that ends a period.
    private static let pause = TimeSpan(seconds: 5)
    /// A shorter gap lies within one advertising event, between two channels.
    private static let sameEvent = TimeSpan(milliseconds: 20)
    /// Time in which a controller receives several advertisements, even if it scans on two PHYs.
    private static let silence = TimeSpan(seconds: 6)
    /// Number of gaps whose median is the interval.
    private static let gapCount = 8

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if event.value != nil || event.response != nil {
            guard let suspect, openConnections.contains(event.connection.number), isFromDevice(event) else { return }
            return failSuspect(suspect, event, &report)
        }
        if event.request != nil { return }
        switch event.content {
        case .advertised(let advertisement):
            if advertisement.kind == .scanResponse { return }
            advertise(event.moment, advertisement, &report)
            lastHeard = event.moment
        case .opened:
            openConnections.insert(event.connection.number)
            wasHeardWhole = period.map { $0.longestGap <= TimeSpan(milliseconds: 1100) && $0.first != $0.last } ?? false
            period = nil
            gaps = []
            cleanEnd = nil
            suspect = nil
        case .closed(let closing):
            openConnections.remove(event.connection.number)
            checkSuspect(closing, event, &report)
            if hasAdvertised { report.pass(.aq008) }
            if closing.isByLocalHost || closing.isByRemote {
                cleanEnd = (event.moment, pucks[event]?.lastActivity)
            }
        default: return
        }
    }

    /// AQ-008: a connection that a side ends later than a supervision timeout after the advertisement was open then.
    private mutating func checkSuspect(
        _ closing: ConnectionClosing, _ event: Event, _ report: inout RuleReport
    ) {
        defer { suspect = nil }
        guard let suspect, closing.isByLocalHost || closing.isByRemote,
            let timeout = event.connection.supervisionTimeout,
            event.moment.seconds(since: suspect) > timeout
        else { return }
        failSuspect(suspect, event, &report)
    }

    private mutating func failSuspect(_ suspect: FrameReference, _ event: Event, _ report: inout RuleReport) {
        self.suspect = nil
        report.fail(
            .aq008, expected: "no advertisement while a connection is open",
            observed: "one amid connection \(event.connection.number)",
            at: [FrameReference(frame: suspect.frame, time: suspect.time, connection: event.connection.number)],
            bytes: [])
    }

    private func isFromDevice(_ event: Event) -> Bool {
        event.response != nil || event.isNotified || event.isRead
    }

    private mutating func advertise(
        _ moment: FrameReference, _ advertisement: Advertisement, _ report: inout RuleReport
    ) {
        hasAdvertised = true
        if !openConnections.isEmpty {
            suspect = suspect ?? moment
            return
        }
        checkReturn(moment, advertisement, &report)
        guard advertisement.isFromAir else { return }
        guard var current = period else {
            // In the first period, or after a connection, it is unknown how long the puck has been awake.
            period = Period(first: moment, last: moment, isWholeAwake: false)
            return
        }
        let gap: TimeSpan = moment.time - current.last.time
        if gap > Self.pause {
            endPeriod(current, &report)
            period = Period(first: moment, last: moment, isWholeAwake: true)
            gaps = []
            return
        }
        if gap >= Self.sameEvent { checkInterval(gap, [current.last, moment], &report) }
        current.longestGap = max(current.longestGap, gap)
        current.last = moment
        period = current
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        if let period, end.time - period.last.time > Self.pause { endPeriod(period, &report) }
        if period != nil, !gaps.isEmpty { report.inconclusive(.aq006, "too few advertisements in a row") }
        if cleanEnd != nil { report.inconclusive(.aq009, "no advertisement was heard after the connection") }
    }

    // MARK: - Rules

    /// AQ-006: the median of the gaps. A gap of several intervals contains missed advertisements.
    private mutating func checkInterval(_ gap: TimeSpan, _ moments: [FrameReference], _ report: inout RuleReport) {
        gaps.append(gap)
        guard gaps.count == Self.gapCount else { return }
        let median = gaps.sorted()[Self.gapCount / 2].seconds
        gaps = []
        if (0.95...1.1).contains(median) { return report.pass(.aq006) }
        if median > 1.9 { return report.inconclusive(.aq006, "advertisements were missed") }
        report.fail(
            .aq006, expected: "1 s from advertisement to advertisement, 0.95 to 1.1 s",
            observed: "\(median.secondsText), the median of \(Self.gapCount)", at: moments)
    }

    /// AQ-009: a puck that advertises within 29 s of its last data activity has been awake all the time.
    private mutating func checkReturn(
        _ moment: FrameReference, _ advertisement: Advertisement, _ report: inout RuleReport
    ) {
        guard let end = cleanEnd else { return }
        cleanEnd = nil
        let pause = moment.seconds(since: end.moment)
        if pause <= 1.5 { return report.pass(.aq009) }
        guard let activity = end.activity, moment.seconds(since: activity) < 29 else {
            return report.inconclusive(.aq009, "whether the puck was still awake is not told")
        }
        guard advertisement.isFromAir ? wasHeardWhole : wasSilent(from: end.moment, to: moment, advertisement) else {
            return report.inconclusive(.aq009, "not every advertisement is heard")
        }
        report.fail(
            .aq009, expected: "an advertisement within 1.5 s of the end of the connection",
            observed: "the first after \(pause.secondsText)", at: [end.moment, moment], bytes: [])
    }

    /// Whether a host's controller has scanned without a pause, and long enough to receive an advertisement. It does
    /// not filter the first advertisement of a scan as a duplicate.
    private func wasSilent(from end: FrameReference, to moment: FrameReference, _ advertisement: Advertisement) -> Bool
    {
        guard let scanning = advertisement.scanningSince, lastHeard.map({ $0.time < scanning }) != false else {
            return false
        }
        return moment.time - max(scanning, end.time) >= Self.silence
    }

    /// AQ-010
    private func endPeriod(_ period: Period, _ report: inout RuleReport) {
        let length = period.last.seconds(since: period.first)
        // The last advertisement comes up to an interval before the end.
        if length >= 27.9 { return report.pass(.aq010, connection: 0) }
        guard period.isWholeAwake else {
            return report.inconclusive(.aq010, "how long the puck was awake before is not known", connection: 0)
        }
        report.fail(
            .aq010, expected: "advertising for 29 s at least", observed: "for \(length.secondsText)",
            at: [period.first, period.last], bytes: [])
    }
}
