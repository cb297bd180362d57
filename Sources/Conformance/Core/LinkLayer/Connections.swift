import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

struct ParametersAreInRange: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-01",
        "A connection has an interval of 6 to 3200, a latency of 499 at most and a timeout of 10 to 3200.",
        role: .client, source: "Vol 6, Part B, 4.5.1 and 4.5.2",
        hint: "Interval in 1.25 ms: 7.5 ms to 4 s; timeout in 10 ms: 100 ms to 32 s.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.connections, .link] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let parameters = event.connectionParameters else { return }
        report.expect(parameters.isInRange, expected: "legal parameters", observed: parameters.text)
    }
}

struct TimeoutIsLongEnough: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-02", "The supervision timeout is longer than (1 + latency) x interval x 2.", role: .client,
        source: "Vol 6, Part B, 4.5.2", hint: "Lengthen the timeout, or lessen latency or interval.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.connections, .link] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let parameters = event.connectionParameters, parameters.isInRange else { return }
        report.expect(
            parameters.isTimeoutLongEnough, expected: "a longer timeout", observed: parameters.text)
    }
}

extension Event {
    /// The parameters set at the beginning of a connection or by an update.
    fileprivate var connectionParameters: ConnectionParameters? {
        switch content {
        case .opened, .parameters: connection.parameters
        default: nil
        }
    }

    /// The CONNECT_IND that opens a connection.
    fileprivate var connectInd: LL.ConnectInd? {
        guard case .opened = content, frame.metadata.kind.isAdvertising else { return nil }
        return try? LL.ConnectInd(decoding: Array(payload))
    }
}

struct AccessAddressIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-03",
        """
        The access address of a connection is unlike that of advertising, has no more than six equal bits in a row and \
        24 changes, two of them in its first six bits, and four bytes that are not all equal.
        """,
        role: .client, source: "Vol 6, Part B, 2.1.2", hint: "Draw another address until it fits.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.connections, .link] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let address = event.connectInd?.accessAddress.rawValue else { return }
        report.expect(Self.isLegal(address), expected: "a legal access address", observed: hex(address))
    }

    private static func isLegal(_ address: UInt32) -> Bool {
        if (address ^ LL.AccessAddress.advertising.rawValue).nonzeroBitCount <= 1 { return false }
        if address == UInt32(address & 0xFF) * 0x0101_0101 { return false }
        // A bit is set where two neighbouring bits differ; the six most significant bits have five such positions.
        let changes = (address ^ address >> 1) & 0x7FFF_FFFF
        if changes.nonzeroBitCount > 24 || (changes >> 26).nonzeroBitCount < 2 { return false }
        // Six positions in a row without a change are seven equal bits.
        var run = 0
        for place in 0..<31 {
            run = changes >> UInt32(place) & 1 == 0 ? run + 1 : 0
            if run >= 6 { return false }
        }
        return true
    }
}

struct HopIsLegal: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-04", "The hop increment of a connection is 5 to 16.", role: .client, source: "Vol 6, Part B, 2.3.3.1",
        hint: "Draw a number from 5 to 16.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.connections, .link] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let hop = event.connectInd?.hop else { return }
        report.expect((5...16).contains(hop), expected: "5 to 16", observed: "\(hop)")
    }
}

struct ChannelsAreEnough: SpecificationRule {
    static let info = RuleInfo(
        "CORE-LL-05", "A channel map has two channels at least, and no reserved bit.", role: .client,
        source: "Vol 6, Part B, 1.4.1 and 2.4.2.2", hint: "Leave enough channels in use.")
    static let basis = RuleBasis.pdu
    var interests: Set<RuleInterest> { [.connections, .link, .control] }

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard let map = event.connectInd?.channelMap ?? event.control(LL.ChannelMapInd.self)?.channelMap
        else { return }
        report.expect(
            map.usedCount >= 2 && map.bits & ~ChannelMap.all.bits == 0, expected: "two channels or more of 37",
            observed: "\(map.usedCount) channels, bits \(hex(map.bits))")
    }
}
