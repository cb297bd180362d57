import Bluetooth
import Captures
import Conversation
import PluginKit
import Profile

struct FrameHasCredit: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-06", "A K-frame is sent only while its sender has a credit.", role: .traffic,
        source: "Vol 3, Part A, 10.1", hint: "Count credits down with each K-frame, and wait for more at 0.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { [.channels] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        report.expectFrame(event) { if case .noCredit = $0 { true } else { false } }
    }
}

struct FrameFitsMPS: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-07", "The payload of a K-frame is no longer than the receiver's MPS.", role: .traffic,
        source: "Vol 3, Part A, 3.4.3 and 4.22", hint: "The MPS counts the SDU length of the first K-frame, too.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { [.channels] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        report.expectFrame(event) { if case .frameExceedsMPS = $0 { true } else { false } }
    }
}

struct SDUFitsMTU: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-08", "An SDU is no longer than the receiver's MTU.", role: .traffic,
        source: "Vol 3, Part A, 3.4.3 and 4.22", hint: "Cut the data before it is given to the channel.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { [.channels] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard event.frame.metadata.segment?.isFirst == true else { return }
        report.expectFrame(event) { if case .sduExceedsMTU = $0 { true } else { false } }
    }
}

struct SDUHasItsLength: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-09", "The K-frames of an SDU hold no more bytes than its first one announces.", role: .traffic,
        source: "Vol 3, Part A, 3.4.3", hint: "Begin each SDU with a K-frame of its own, with its length first.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { [.channels] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        report.expectFrame(event) { if case .sduOverrun = $0 { true } else { false } }
    }
}

extension RuleReport {
    /// Checks a K-frame of a known channel for a fault.
    fileprivate mutating func expectFrame(
        _ event: Event, _ isTheFault: (L2CAP.ChannelFault) -> Bool
    ) {
        guard event.frame.metadata.segment != nil else { return }
        guard let fault = event.frame.channelFaults.first(where: isTheFault) else { return pass() }
        fail(expected: "what the channel allows", observed: fault.description)
    }
}

struct CreditsDoNotOverflow: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-10", "Credits are 1 to 65535, and add up to 65535 at most.", role: .traffic,
        source: "Vol 3, Part A, 4.24 and 10.1", hint: "Give credits back as K-frames are used up, not more.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.signals] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let credit = event.signals.first?.command as? L2CAP.FlowControlCredit else { return }
        if credit.credits == 0 { return report.fail(expected: "1 or more", observed: "0 credits") }
        let fault = event.frame.channelFaults.first { if case .creditOverflow = $0 { true } else { false } }
        guard let fault else { return report.pass() }
        report.fail(
            unless: event.connection.incompleteness, expected: "65535 at most", observed: fault.description)
    }
}

struct ChannelRequestIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-11",
        """
        LE Credit Based Connection Request names an SPSM of 0x0001 to 0x00ff, a channel of 0x0040 to 0x007f, an MTU of 23 \
        or more and an MPS of 23 to 65533.
        """,
        role: .traffic, source: "Vol 3, Part A, 4.22", hint: "Other values are refused as unacceptable parameters.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.signals] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let request = event.signals.first?.command as? L2CAP.LECreditBasedConnectionRequest else { return }
        let isFine =
            (0x0001...0x00FF).contains(request.spsm.rawValue) && (0x0040...0x007F).contains(request.source.rawValue)
            && request.mtu >= 23 && (23...65533).contains(request.mps)
        report.expect(
            isFine, expected: "legal parameters",
            observed: "SPSM \(hex(request.spsm.rawValue)), channel \(hex(request.source.rawValue)),"
                + " MTU \(request.mtu), MPS \(request.mps)")
    }
}

struct ChannelIsOpen: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-12", "Data on an LE connection goes to fixed channels and to channels that were opened.",
        role: .traffic, source: "Vol 3, Part A, 2.1 and 4.22", hint: "Open the channel by signaling first.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { [.channels] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        // Only an LE connection has these parameters.
        guard case .channel(let channel) = event.content, event.connection.parameters != nil,
            !channel.isAssignedByOthers
        else { return }
        if event.frame.metadata.segment != nil { return report.pass() }
        report.fail(
            expected: "a channel that is open",
            observed: "channel \(hex(channel.rawValue))")
    }
}

struct FragmentsHoldOnePDU: SpecificationRule {
    static let info = RuleInfo(
        "CORE-L2CAP-13", "The fragments of a PDU hold as many bytes as its length says.", role: .traffic,
        source: "Vol 3, Part A, 3.1 and 7.2.1", hint: "Begin each PDU with a first fragment of its own.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.allATT, .smp, .signals, .channels] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        // An ATT PDU of an enhanced bearer follows the PDU of its channel, which was checked.
        if event.moment.bearer > 0 { return }
        // If fragments in between were not captured, the additional bytes belong to another PDU.
        report.expect(
            !event.frame.metadata.notes.contains(.overrun), expected: "no byte after the PDU", observed: "more bytes")
    }
}
