import Bluetooth
import Bytes
import PluginKit
import Profile

/// When a gateway subscribes and comes back: LC-020 and LC-024 ("Gateway state machine").
struct GatewayRules: DeviceRule {
    /// A connection that has no subscription yet.
    private struct Wait: Sendable {
        var opened: FrameReference
        /// The client has subscribed, and no response was captured.
        var isUndecided = false
        /// The counter has refused one: the client has tried.
        var isRefused = false
    }

    private var waiting = PerConnection<Wait>()
    /// When the last connection was lost, and whose it was.
    private var lost: FrameReference?
    private var client: Int?

    var rules: [RuleIndex] { [.lc020, .lc024] }
    var interests: Set<RuleInterest> { [.subscriptions] }

    /// Nanoseconds from the connection to the subscription.
    private static let patience = TimeSpan(seconds: 5)
    /// Seconds of the shortest back-off.
    private static let backOff = 0.8

    mutating func see(_ event: borrowing RuleEvent, _ report: inout RuleReport) {
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
            // The client has subscribed in time even if the counter answers late.
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
        // Another gateway knows nothing of the loss.
        guard opening.client == client else { return }
        let seconds = moment.seconds(since: lost)
        if seconds >= Self.backOff { return report.pass(.lc024) }
        report.fail(
            .lc024, expected: "0.8 s or more before the next attempt", observed: seconds.secondsText,
            at: [lost, moment], bytes: [])
    }
}
