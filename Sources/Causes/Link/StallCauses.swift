import Bluetooth
import Bytes
import PluginKit

/// The controller did not free its buffers.
enum ACLBuffersStuck: Cause {
    static let info = CauseInfo(
        "acl_buffers_stuck", "The controller did not report its packets as completed.", explains: [.dataStalled],
        evidence: """
            Certain: packets wait in all buffers that the controller has, no Number Of Completed Packets followed for \
            longer than the supervision timeout, and nothing of the connection is missing. Likely: the number of \
            buffers is not known, or packets are missing. Possible: the capture ends earlier, with packets in all \
            buffers, of which the first waits at least twice as long as any before.
            """,
        against: "Number Of Completed Packets after the last packet; free buffers.",
        advice: """
            Check that the peer acknowledges packets, and that the host reads all events. If both do, report it to the \
            controller's vendor: its buffers are not returned.
            """, source: "Vol 4, Part E, 4.1.1 and 7.7.19")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let stall = session.capture.advertising.buffers.stalls[session.connection.number],
            stall.last == failure.frame
        else { return .excluded("the controller's buffers were not in use") }
        let packets = "\(stall.waiting) packet\(stall.waiting == 1 ? "" : "s")"
        let of = stall.buffers.map { ", as many as the controller has buffers (\($0))" } ?? ""
        var text = "\(packets) from frame \(stall.first.frame) to frame \(stall.last.frame) were not completed\(of)"
        text += stall.completed.map { "; the last Number Of Completed Packets is in frame \($0.frame)" } ?? ""
        text += stall.received.map { "; the peer was heard until frame \($0.frame)" } ?? ""
        if stall.isCutShort { text += "; the capture ends before the supervision timeout" }
        let isCertain = stall.buffers != nil && stall.isProven && session.connection.isComplete
        return .found(
            stall.isCutShort ? .possible : isCertain ? .certain : .likely,
            frames: (stall.completed.map { [$0] } ?? []) + failure.frames, text: text)
    }
}

/// A channel had no credits left.
enum CreditsExhausted: Cause {
    static let info = CauseInfo(
        "credits_exhausted", "The receiver of a credit-based channel gave no more credits.", explains: [.dataStalled],
        evidence: """
            Certain: the last credit was used within an SDU, or a response waits for one, no credits followed, and \
            nothing of the connection is missing. Likely: it was used by the end of an SDU, so that data need not wait, \
            or packets are missing. Possible: the capture ends within two seconds after the last credit.
            """,
        against: "Credits that were left.",
        advice: """
            Let the receiver send L2CAP_FLOW_CONTROL_CREDIT_IND as soon as its application has taken an SDU. Look for \
            an SDU that it does not take.
            """, source: "Vol 3, Part A, 10.1")

    static func assess(_ failure: Failure, in session: Session) -> Assessment? {
        guard let stalled = session.link.credits.stalled.first(where: { $0.frame == failure.frame }) else {
            return .excluded("no credit-based channel was without credits")
        }
        let cid = "0x" + String(hex: stalled.cid.rawValue, digits: 4)
        var text =
            "the K-frame in frame \(stalled.frame.frame) used the last credit of channel \(cid), and no more followed"
        if stalled.isWithinSDU { text += "; its SDU is not complete" }
        if let request = stalled.request { text += "; the request in frame \(request.frame) has no response" }
        if stalled.isCutShort { text += "; the capture ends soon after it" }
        let isWaiting = stalled.isWithinSDU || stalled.request != nil
        return .found(
            stalled.isCutShort ? .possible : isWaiting && session.connection.isComplete ? .certain : .likely,
            frames: failure.frames + (stalled.request.map { [$0] } ?? []), text: text)
    }
}
