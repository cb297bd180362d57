import Bluetooth
import Bytes
import PluginKit
import Profile

/// Subscription and reconnection of a gateway: LC-020 and LC-024 ("Gateway state machine").
struct GatewayRules: Rule {
    /// A connection without a subscription so far.
    private struct Wait: Sendable {
        var opened: FrameReference
        /// Whether the client has subscribed and the outcome is unknown.
        var isUndecided = false
        /// Whether the counter has refused a subscription: the client is not at fault.
        var isRefused = false
    }

    private var waiting = PerConnection<Wait>()
    /// The end of the last connection, if it was lost or the counter ended it.
    private var lost: FrameReference?
    /// The client of the last connection.
    private var client: Int?

    var rules: [RuleIndex] { [.lc020, .lc024] }
    var interests: Set<RuleInterest> { [.subscriptions] }

    /// Time from the connection to the subscription.
    private static let patience = TimeSpan(seconds: 5)
    /// Seconds of the shortest back-off.
    private static let backOff = 0.8

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let moment = event.moment
        expire(moment.connection, at: event.heard, &report)
        switch event.content {
        case .opened(let opening):
            if opening.isBeginningCaptured { waiting[moment.connection] = Wait(opened: moment) }
            checkReconnection(opening, moment, &report)
            client = opening.client
        case .closed(let closing):
            if waiting[moment.connection] != nil {
                report.inconclusive(.lc020, "the connection ended before")
                waiting[moment.connection] = nil
            }
            let isByCounter = closing.isByRemote && moment.sender == .peripheral
            lost = closing.isLoss || isByCounter ? moment : nil
        case .gap: waiting[moment.connection] = nil
        case .configuration(let access) where access.operation == .write && access.characteristic == .countEvent:
            guard access.notifies == true, waiting[moment.connection] != nil else { return }
            // The time of the request counts, even if the counter answers late.
            switch access.outcome {
            case .accepted?:
                waiting[moment.connection] = nil
                report.pass(.lc020)
            case .refused?: waiting[moment.connection]?.isRefused = true
            case .unconfirmed?, .unknown?, nil: waiting[moment.connection]?.isUndecided = true
            }
        default: return
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for (connection, _) in waiting.all {
            expire(connection, at: end.time, &report)
            if waiting[connection] != nil {
                report.inconclusive(.lc020, "the capture ends before", connection: connection)
            }
        }
    }

    /// LC-020
    private mutating func expire(_ connection: Int, at time: Timestamp, _ report: inout RuleReport) {
        guard let wait = waiting[connection], !wait.isUndecided, time - wait.opened.time > Self.patience else {
            return
        }
        waiting[connection] = nil
        if wait.isRefused {
            return report.inconclusive(.lc020, "the counter has refused the subscription", connection: connection)
        }
        report.fail(
            .lc020, expected: "a subscription to Count Event within 5 s", observed: "none", at: [wait.opened],
            bytes: [])
    }

    /// LC-024
    private mutating func checkReconnection(
        _ opening: ConnectionOpening, _ moment: FrameReference, _ report: inout RuleReport
    ) {
        guard let lost else { return }
        self.lost = nil
        // Another gateway does not know of the loss.
        guard opening.client == client else { return }
        let seconds = moment.seconds(since: lost)
        if seconds >= Self.backOff { return report.pass(.lc024) }
        report.fail(
            .lc024, expected: "0.8 s or more before the next attempt", observed: seconds.secondsText,
            at: [lost, moment], bytes: [])
    }
}
