import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// The key distribution commands, in order (Vol 3, Part H, 3.6.1).
private enum KeyCommand {
    static let order: [SMP.Opcode] = [
        .encryptionInformation, .centralIdentification, .identityInformation, .identityAddressInformation,
        .signingInformation,
    ]

    /// Index of the event's command; nil for others.
    static func place(_ event: Event) -> Int? {
        guard case .smp(let opcode) = event.content else { return nil }
        return order.firstIndex(of: opcode)
    }
}

struct KeysAreEncrypted: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-11", "Keys are distributed only on an encrypted connection.", role: .traffic,
        source: "Vol 3, Part H, 2.4.3 and 3.6.1", hint: "Wait for the encryption with the new key.")
    static let basis = RuleBasis.connection
    var interests: Set<RuleInterest> { [.smp, .connections, .link] }

    /// Keys that a host received before the encryption event.
    private var early: [FrameReference] = []
    private static let limit = 16
    /// Maximum time from a key to the event of the encryption that preceded it.
    private static let crossingTime = TimeSpan(seconds: 1)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .encryption(isOn: true) = event.content { settle(at: event.moment.time, &report) }
        guard KeyCommand.place(event) != nil else { return }
        if event.connection.isEncrypted { return report.pass() }
        // On USB, events and data have separate endpoints, and either may arrive first (Vol 4, Part B, 2.1).
        if event.frame.metadata.hci != nil, event.direction == .received, early.count < Self.limit {
            return early.append(event.moment)
        }
        report.fail(expected: "an encrypted connection", observed: "a key in clear")
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        settle(at: end.isClosing ? .latest : end.time, isEnd: true, &report)
    }

    /// Settles early keys: the encryption has begun, or the connection or the capture ends.
    private mutating func settle(at time: Timestamp, isEnd: Bool = false, _ report: inout RuleReport) {
        for moment in early {
            if time - moment.time > Self.crossingTime {
                report.fail(expected: "an encrypted connection", observed: "a key in clear", at: [moment])
            } else if isEnd {
                report.inconclusive("the capture ends before the encryption can have been reported")
            } else {
                report.pass()
            }
        }
        early = []
    }
}

struct KeysAreAgreed: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-12", "Each side distributes only the keys that both have agreed on.", role: .traffic,
        source: "Vol 3, Part H, 3.6.1", hint: "Follow the bits of Pairing Response.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.smp] }

    private var progress = PairingProgress()

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        guard case .smp(let opcode) = event.content else { return }
        defer { progress.take(opcode, event) }
        guard let place = KeyCommand.place(event), progress.hasFeatures, let agreed = progress.responder.features
        else { return }
        let keys = progress.isInitiator(event) ? agreed.initiatorKeys : agreed.responderKeys
        let isFine =
            switch place {
            case 0, 1: keys.encryption && !progress.isSecure
            case 2, 3: keys.identity
            default: keys.signing
            }
        report.expect(
            isFine, expected: "keys \(hex(keys.rawValue))\(progress.isSecure ? ", with Secure Connections" : "")",
            observed: opcode.name ?? hex(opcode.rawValue))
    }
}

struct KeysAreInOrder: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-13", "Keys come in their order: LTK, EDIV and Rand, IRK, identity address, CSRK.", role: .traffic,
        source: "Vol 3, Part H, 3.6.1", hint: "Send the keys that were agreed on in this order.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.smp] }

    private var last = PerDirection(-1)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        if case .smp(.pairingRequest) = event.content { last = PerDirection(-1) }
        guard let place = KeyCommand.place(event) else { return }
        let before = last[event.direction]
        last[event.direction] = place
        report.expect(
            place > before, expected: "keys in their order",
            observed: "\(KeyCommand.order[place].name ?? "a key") after"
                + " \(before >= 0 ? KeyCommand.order[before].name ?? "a key" : "nothing")")
    }
}

struct AgreedKeysCome: SpecificationRule {
    static let info = RuleInfo(
        "CORE-SMP-14", "Each side distributes every key that both have agreed on, within 30 seconds.", role: .traffic,
        source: "Vol 3, Part H, 2.4.3, 3.4 and 3.6.1",
        hint: "Clear the bits in Pairing Response of keys that are not sent; send EDIV and Rand with every legacy LTK.")
    static let basis = RuleBasis.exchange
    var interests: Set<RuleInterest> { [.smp, .connections, .link] }

    private var progress = PairingProgress()
    /// Indices of the keys that are still missing, in order.
    private var missing = PerDirection<[Int]>([])
    /// Keys skipped by a later key of the same side, and the frame of that key.
    private var skipped = PerDirection<[Int]>([])
    private var skippedAt: FrameReference?
    /// The frame of the encryption, or of the last key after it.
    private var since: FrameReference?
    /// Keys that came before the encryption event.
    private var early = PerDirection<[Int]>([])

    /// The Security Manager timeout (Vol 3, Part H, 3.4).
    private static let limit = TimeSpan(seconds: 30)

    mutating func handle(_ event: Event, _ report: inout RuleReport) {
        // Pending keys are settled at the end of the connection.
        if case .closed = event.content { return }
        expire(at: event.moment.time, &report)
        switch event.content {
        case .smp(let opcode):
            progress.take(opcode, event)
            if opcode == .pairingRequest || opcode == .pairingFailed { forget() }
            guard let place = KeyCommand.place(event) else { return }
            if since != nil {
                take(place, event, &report)
            } else if progress.isAuthenticated, early[event.direction].count < KeyCommand.order.count {
                early[event.direction].append(place)
            }
        case .encryption(isOn: true) where progress.isAuthenticated && since == nil: begin(at: event.moment)
        default: return
        }
    }

    mutating func finish(_ end: CaptureEnd, _ report: inout RuleReport) {
        expire(at: end.time, &report)
        settle("the \(end.isClosing ? "connection ended" : "capture ends") before all keys were due", &report)
    }

    private mutating func forget() {
        missing = PerDirection([])
        skipped = PerDirection([])
        skippedAt = nil
        since = nil
        early = PerDirection([])
    }

    private mutating func begin(at moment: FrameReference) {
        guard let agreed = progress.responder.features, let direction = progress.direction else { return }
        missing[direction] = KeyCommand.places(agreed.initiatorKeys, isSecure: progress.isSecure)
        missing[direction.opposite] = KeyCommand.places(agreed.responderKeys, isSecure: progress.isSecure)
        for side in [direction, direction.opposite] {
            missing[side].removeAll { early[side].contains($0) }
        }
        since = missing.all.allSatisfy(\.isEmpty) ? nil : moment
    }

    private mutating func take(_ place: Int, _ event: Event, _ report: inout RuleReport) {
        skipped[event.direction].removeAll { $0 == place }
        guard missing[event.direction].contains(place) else { return }
        let before = missing[event.direction].filter { $0 < place }
        missing[event.direction].removeAll { $0 <= place }
        if !before.isEmpty {
            skipped[event.direction] += before
            skippedAt = event.moment
        }
        since = event.moment
        if (missing.all + skipped.all).allSatisfy(\.isEmpty) {
            report.pass()
            forget()
        }
    }

    /// Settles missing keys at the end: keys come in order, so skipped ones were not sent.
    private mutating func settle(_ reason: String, _ report: inout RuleReport) {
        defer { forget() }
        let places = skipped.all.flatMap(\.self)
        if let skippedAt, !places.isEmpty {
            report.fail(expected: "\(KeyCommand.names(places)) first", observed: "a later key", at: [skippedAt])
        } else if since != nil {
            report.inconclusive(reason)
        }
    }

    private mutating func expire(at time: Timestamp, _ report: inout RuleReport) {
        guard let since, time - since.time > Self.limit else { return }
        let places = (skipped.all + missing.all).flatMap(\.self).sorted()
        forget()
        report.fail(expected: "\(KeyCommand.names(places)) within 30 s", observed: "none came in time", at: [since])
    }
}

extension KeyCommand {
    /// Indices of the commands for these keys: with Secure Connections, both sides generate the LTK.
    static func places(_ keys: SMP.KeyDistribution, isSecure: Bool) -> [Int] {
        (keys.encryption && !isSecure ? [0, 1] : []) + (keys.identity ? [2, 3] : []) + (keys.signing ? [4] : [])
    }

    static func names(_ places: [Int]) -> String {
        places.map { order[$0].name ?? "a key" }.joined(separator: ", ")
    }
}
