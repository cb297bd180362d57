import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// Link layer control procedures with a response (Vol 6, Part B, 5.1).
private enum Procedure {
    /// The PDUs that answer a request, in addition to rejections.
    static func answers(to request: LL.ControlOpcode) -> [LL.ControlOpcode]? {
        switch request {
        case .encReq: [.encRsp]
        case .featureReq, .peripheralFeatureReq: [.featureRsp]
        case .connectionParamReq: [.connectionParamRsp, .connectionUpdateInd]
        case .pingReq: [.pingRsp]
        case .lengthReq: [.lengthRsp]
        case .phyReq: [.phyRsp, .phyUpdateInd]
        case .cteReq: [.cteRsp]
        case .clockAccuracyReq: [.clockAccuracyRsp]
        case .cisReq: [.cisRsp]
        case .powerControlReq: [.powerControlRsp]
        case .subrateReq: [.subrateInd]
        default: nil
        }
    }

    static let rejections: [LL.ControlOpcode] = [.unknownRsp, .rejectInd, .rejectExtInd]
    /// PDUs that are sent only as an answer.
    static let responses: [LL.ControlOpcode] = [
        .encRsp, .featureRsp, .connectionParamRsp, .pingRsp, .lengthRsp, .phyRsp, .cteRsp, .clockAccuracyRsp, .cisRsp,
        .powerControlRsp,
    ]
    /// The procedure response timeout (Vol 6, Part B, 5.2).
    static let limit = TimeSpan(seconds: 40)
}

/// A request that waits for its answer.
private struct OpenProcedure {
    var request: LL.ControlOpcode
    var moment: FrameReference

    func ends(with opcode: LL.ControlOpcode) -> Bool {
        Procedure.rejections.contains(opcode) || Procedure.answers(to: request)?.contains(opcode) == true
    }
}

struct ControlPDUIsWellFormed: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-06", "A link layer control PDU is as long as its opcode wants it.", role: .traffic,
        source: "Vol 6, Part B, 2.4.2", hint: "Look at the format of the PDU; a wrong one is answered as unknown.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.control] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .control(let opcode) = event.content, let row = LL.ControlOpcode.table[opcode] else { return }
        let body = event.payload.dropFirst()
        var reader = ByteReader(body.span)
        let isRead = (try? row.pdu.init(reading: &reader)) != nil
        report.expect(
            isRead && reader.isAtEnd, expected: "the length of \(row.name)",
            observed: isRead ? "\(reader.remaining) bytes more" : "\(body.count) bytes after the opcode")
    }
}

struct ProcedureIsInTime: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-07", "A link layer procedure gets its answer within 40 seconds.", role: .traffic,
        source: "Vol 6, Part B, 5.2", hint: "Answer what is not supported with LL_UNKNOWN_RSP.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.control] }

    private var open = PerDirection<OpenProcedure?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .control(let opcode) = event.content, event.direction != .unknown else { return }
        if let asked = open[event.direction.opposite], asked.ends(with: opcode) {
            open[event.direction.opposite] = nil
            report.expect(
                event.moment.time - asked.moment.time <= Procedure.limit, expected: "an answer within 40 s",
                observed: "one after \(event.moment.seconds(since: asked.moment)) s", at: [asked.moment, event.moment])
        }
        if Procedure.answers(to: opcode) != nil {
            open[event.direction] = OpenProcedure(request: opcode, moment: event.moment)
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        for case let asked? in open.all where end.time - asked.moment.time > Procedure.limit {
            report.fail(expected: "an answer within 40 s", observed: "none", at: [asked.moment])
        }
    }
}

struct OneProcedureAtATime: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-08", "A side begins its next link layer procedure only after the one before has ended.",
        role: .traffic, source: "Vol 6, Part B, 5.1", hint: "Wait for the answer to the request before.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.control] }

    private var open = PerDirection<OpenProcedure?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .control(let opcode) = event.content, event.direction != .unknown else { return }
        if open[event.direction.opposite]?.ends(with: opcode) == true { open[event.direction.opposite] = nil }
        guard Procedure.answers(to: opcode) != nil else { return }
        if let before = open[event.direction] {
            report.fail(
                expected: "the answer to \(before.request.name ?? "a request") first",
                observed: opcode.name ?? hex(opcode.rawValue), at: [before.moment, event.moment])
        } else {
            report.pass()
        }
        open[event.direction] = OpenProcedure(request: opcode, moment: event.moment)
    }
}

struct AnswerHasProcedure: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-09", "A link layer response answers a request of the other side.", role: .traffic,
        source: "Vol 6, Part B, 5.1", hint: "Send each response once, and none that was not asked for.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { [.control] }

    /// Overlapping requests are each answered: a fault of the requesting side is not one of the other side.
    private var open = PerDirection<[OpenProcedure]>([])
    /// Maximum number of requests kept; a correct side has one.
    private static let limit = 8

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .control(let opcode) = event.content, event.direction != .unknown else { return }
        let asker = event.direction.opposite
        let rejected = Self.rejected(event)
        let place = open[asker].firstIndex { rejected == $0.request || rejected == nil && $0.ends(with: opcode) }
        if let place { open[asker].remove(at: place) }
        if Procedure.responses.contains(opcode) {
            report.expect(
                place != nil, expected: "a request before it", observed: opcode.name ?? hex(opcode.rawValue))
        }
        if Procedure.answers(to: opcode) != nil {
            if open[event.direction].count >= Self.limit { open[event.direction].removeFirst() }
            open[event.direction].append(OpenProcedure(request: opcode, moment: event.moment))
        }
    }

    /// The request that a rejection names; nil for other PDUs, and for LL_REJECT_IND, which names none.
    private static func rejected(_ event: Event) -> LL.ControlOpcode? {
        event.control(LL.UnknownRsp.self)?.unknownType ?? event.control(LL.RejectExtInd.self)?.rejectOpcode
    }
}

struct VersionIsSentOnce: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-10", "Each side sends LL_VERSION_IND once in a connection at most.", role: .traffic,
        source: "Vol 6, Part B, 5.1.5", hint: "Remember what was told; it cannot change.")
    static let basis = RuleBasis.sender
    var interests: Set<RuleInterest> { [.control] }

    private var first = PerDirection<FrameReference?>(nil)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .control(.versionInd) = event.content else { return }
        if event.direction == .unknown {
            report.inconclusive(CaptureGap.Reason.unknownDirection.rawValue)
        } else if let before = first[event.direction] {
            // The sequence number does not fit: the sniffer missed packets, or writes the same number for all.
            let isMisnumbered = event.frame.metadata.notes.contains(.missed)
            report.fail(
                unless: isMisnumbered ? "possible retransmission by its sequence number" : nil,
                expected: "none after frame \(before.frame)", observed: "LL_VERSION_IND", at: [before, event.moment])
        } else {
            first[event.direction] = event.moment
            report.pass()
        }
    }
}

struct DataLengthsAreLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-11", "LL_LENGTH_REQ and LL_LENGTH_RSP tell 27 to 251 bytes and 328 to 17040 µs.", role: .traffic,
        source: "Vol 6, Part B, 2.4.2.21 and 4.5.10", hint: "27 bytes and 328 µs are what every device can.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.control] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        let reported = event.control(LL.LengthReq.self)?.lengths ?? event.control(LL.LengthRsp.self)?.lengths
        guard let reported else { return }
        let isFine =
            [reported.maxRxOctets, reported.maxTxOctets].allSatisfy { (27...251).contains($0) }
            && [reported.maxRxTime, reported.maxTxTime].allSatisfy { (328...17040).contains($0) }
        report.expect(
            isFine, expected: "27 to 251 bytes, 328 to 17040 µs",
            observed:
                "\(reported.maxRxOctets) and \(reported.maxTxOctets) bytes, \(reported.maxRxTime) and \(reported.maxTxTime) µs"
        )
    }
}

struct ControlPDUFitsRole: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-12", "Only the central sends control PDUs that are the central's, and the peripheral its own.",
        role: .traffic, source: "Vol 6, Part B, 2.4.2",
        hint: "A peripheral asks for what only a central may do: LL_CONNECTION_PARAM_REQ, LL_PHY_REQ.")
    static let basis = RuleBasis.sender
    var interests: Set<RuleInterest> { [.control] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .control(let opcode) = event.content, let isOfCentral = Self.isOfCentral(opcode) else { return }
        guard let isFromCentral = event.isFromCentral else {
            return report.inconclusive("the central is unknown")
        }
        report.expect(
            isFromCentral == isOfCentral,
            expected: "\(opcode.name ?? "it") of the \(isOfCentral ? "central" : "peripheral")",
            observed: "one of the \(isOfCentral ? "peripheral" : "central")")
    }

    /// Nil for a PDU that both roles may send.
    private static func isOfCentral(_ opcode: LL.ControlOpcode) -> Bool? {
        switch opcode {
        case .connectionUpdateInd, .channelMapInd, .encReq, .pauseEncReq, .phyUpdateInd, .featureReq, .cisReq,
            .cisInd, .subrateInd, .channelReportingInd:
            true
        case .encRsp, .startEncReq, .peripheralFeatureReq, .cisRsp, .minUsedChannelsInd, .subrateReq,
            .channelStatusInd:
            false
        default: nil
        }
    }
}
