import Bluetooth
import Bytes
import PluginKit
import Profile

/// Subscription of a gateway: LC-020 ("Gateway state machine").
struct SubscriptionRule: Rule {
    /// A connection without a subscription so far.
    private struct Wait: Sendable {
        var opened: FrameReference
        /// Whether the client has subscribed and the outcome is unknown.
        var isUndecided = false
        /// Whether the counter has refused a subscription: the client is not at fault.
        var isRefused = false
    }

    /// Nil if no subscription is due.
    private var wait: Wait?

    var rules: [RuleIndex] { [.lc020] }
    var interests: Set<RuleInterest> { [.subscriptions] }

    /// Time from the connection to the subscription.
    private static let patience = TimeSpan(seconds: 5)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        expire(at: event.heard, &report)
        switch event.content {
        case .opened: if event.connection.isBeginningCaptured { wait = Wait(opened: event.moment) }
        case .closed: giveUp("the connection ended before", &report)
        case .gap: wait = nil
        case .configuration(let access) where access.operation == .write && access.characteristic == .countEvent:
            guard access.notifies == true, wait != nil else { return }
            // The time of the request counts, even if the counter answers late.
            switch access.outcome {
            case .accepted?:
                wait = nil
                report.pass(.lc020)
            case .refused?: wait?.isRefused = true
            case .unconfirmed?, .unknown?, nil: wait?.isUndecided = true
            }
        default: return
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        expire(at: end.time, &report)
        giveUp("the capture ends before", &report)
    }

    private mutating func expire(at time: Timestamp, _ report: inout RuleReport) {
        guard let wait, !wait.isUndecided, time - wait.opened.time > Self.patience else { return }
        self.wait = nil
        if wait.isRefused { return report.inconclusive(.lc020, "the counter has refused the subscription") }
        report.fail(
            .lc020, expected: "a subscription to Count Event within 5 s", observed: "none", at: [wait.opened],
            bytes: [])
    }

    private mutating func giveUp(_ reason: String, _ report: inout RuleReport) {
        if wait != nil { report.inconclusive(.lc020, reason) }
        wait = nil
    }
}

/// Reconnection of a gateway: LC-024 ("Gateway state machine").
struct ReconnectionRule: Rule {
    /// The end of the last connection, if it was lost or the counter ended it.
    private var lost: FrameReference?
    /// The client of the last connection.
    private var client: Int?

    var rules: [RuleIndex] { [.lc024] }
    var scope: RuleScope { .device }
    var interests: Set<RuleInterest> { [] }

    /// Seconds of the shortest back-off.
    private static let backOff = 0.8

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let moment = event.moment
        switch event.content {
        case .opened:
            check(event, &report)
            client = event.connection.client
        case .closed(let closing):
            let isByCounter = closing.isByRemote && moment.sender == .peripheral
            lost = closing.isLoss || isByCounter ? moment : nil
        default: return
        }
    }

    private mutating func check(_ event: Event, _ report: inout RuleReport) {
        guard let lost else { return }
        self.lost = nil
        // Another gateway does not know of the loss.
        guard event.connection.client == client else { return }
        let seconds = event.moment.seconds(since: lost)
        if seconds >= Self.backOff { return report.pass(.lc024) }
        report.fail(
            .lc024, expected: "0.8 s or more before the next attempt", observed: seconds.secondsText,
            at: [lost, event.moment], bytes: [])
    }
}
