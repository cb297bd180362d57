import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Keys

/// Decryption of the PDUs of one isochronous stream on the air (Vol 6, Part B, 4.4.6.6 and 4.5.13; Part E, 1.1 and 2).
///
/// A packet's counter is the number of its payload: all transmissions of a payload have the same one, and those that
/// were missed leave gaps. It is searched near the last one, and near the one that the PDU's time shows.
struct StreamDecryption: Sendable {
    enum Outcome: Sendable {
        case opened(from: LinkEncryption.Sender, isRepetition: Bool)
        case closed(ClosedReason, isRepetition: Bool)
    }

    /// What the keys of a broadcast isochronous group are derived from, beside the Broadcast Code.
    struct Group: Sendable, Hashable {
        /// GIV, with its first byte least significant.
        var vector: UInt64
        /// GSKD, likewise.
        var diversifier: UInt128

        init?(_ encryption: GAP.BIGInfo.Encryption?) {
            guard let encryption, encryption.initializationVector.count == 8,
                encryption.sessionKeyDiversifier.count == 16
            else { return nil }
            vector = encryption.initializationVector.reversed().reduce(0) { $0 << 8 | UInt64($1) }
            diversifier = encryption.sessionKeyDiversifier.reversed().reduce(0) { $0 << 8 | UInt128($1) }
        }
    }

    /// A key of the stream, and the key of the ring that it was derived from.
    struct Session: Sendable {
        let encryption: LinkEncryption
        let candidate: LinkSession.Candidate
    }

    private let accessAddress: UInt32
    let group: Group?
    private var candidates: [Session]
    /// Why PDUs stay closed without a candidate.
    private let reason: ClosedReason
    /// Keys of the ring that were considered; none are for a connected stream, which has the key of its connection.
    private var considered = 0
    private(set) var session: Session?
    private var central = Counters()
    private var peripheral = Counters()
    private var failures = 0
    /// Hashes of the last PDUs that stayed closed: all transmissions of a payload are equal.
    private var recentlyClosed: [UInt64] = []
    /// Number of the session in the summary, once a PDU was opened.
    var summary: Int?

    /// Counters tried after the last one, and on both sides of the one that the time shows.
    private static let reach: UInt64 = 64
    /// Counters of an open stream that are tried whatever is left of the budget.
    private static let freeTries = 16
    /// AES operations of deriving a key from a Broadcast Code.
    private static let derivationCost = 200
    /// PDUs in a row that no counter opens, before the stream stays closed: without a key that fits, and with one.
    private static let failureLimits = (seeking: 16, open: 64)
    private static let (candidateLimit, recentLimit) = (32, 16)

    /// Takes the key of a group's Broadcast Code from the ring.
    init(of group: Group, accessAddress: UInt32) {
        (self.group, self.accessAddress, candidates, reason) = (group, accessAddress, [], .noKey)
    }

    /// Takes the session of the connection that a connected stream belongs to, or the reason why it has none.
    init(of connection: LinkSession?, otherwise reason: ClosedReason, accessAddress: UInt32) {
        (group, self.accessAddress, self.reason) = (nil, accessAddress, reason)
        candidates =
            connection.map {
                [
                    Session(
                        encryption: $0.encryption.connectedStream(accessAddress: accessAddress),
                        candidate: $0.candidate)
                ]
            } ?? []
    }

    /// Opens a PDU, and appends its plain text.
    ///
    /// - Parameters:
    ///   - senders: who may have sent it.
    ///   - predicted: the number of the payload that its time shows; nil where it is not known.
    mutating func open(
        _ pdu: borrowing SealedPDU, from senders: [LinkEncryption.Sender], near predicted: UInt64?, _ keys: KeyRing,
        _ budget: inout SearchBudget, to plain: inout [UInt8]
    ) -> Outcome {
        chooseCandidates(keys, &budget)
        let tried = session.map { [$0] } ?? candidates
        guard !tried.isEmpty else {
            return close(pdu, reason)
        }
        let limit = session == nil ? Self.failureLimits.seeking : Self.failureLimits.open
        guard failures < limit else { return close(pdu, failure) }
        // Of a stream without gaps, they suffice.
        var freeTries = session == nil ? 0 : Self.freeTries
        for candidate in tried {
            for sender in senders {
                let counters = sender == .central ? central : peripheral
                for counter in counters.ranges(reach: Self.reach, near: predicted).joined() {
                    if freeTries > 0 {
                        freeTries -= 1
                    } else if !budget.spend(pdu.cost) {
                        return close(pdu, failure)
                    }
                    if candidate.encryption.open(
                        pdu.payload, header: pdu.header, counter: counter, from: sender, appendingTo: &plain)
                    {
                        return accept(candidate, sender, counter)
                    }
                }
            }
        }
        failures += 1
        return close(pdu, failure)
    }

    private var failure: ClosedReason { session == nil ? .noKeyFits : .counterLost }

    private mutating func accept(
        _ candidate: Session, _ sender: LinkEncryption.Sender, _ counter: UInt64
    ) -> Outcome {
        session = candidate
        failures = 0
        let isNew = sender == .central ? central.observe(counter) : peripheral.observe(counter)
        return .opened(from: sender, isRepetition: !isNew)
    }

    private mutating func close(_ pdu: borrowing SealedPDU, _ reason: ClosedReason) -> Outcome {
        let hash = pdu.payload.rawBytes.hash
        if recentlyClosed.contains(hash) { return .closed(reason, isRepetition: true) }
        if recentlyClosed.count >= Self.recentLimit { recentlyClosed.removeFirst() }
        recentlyClosed.append(hash)
        return .closed(reason, isRepetition: false)
    }

    /// Derives the keys of Broadcast Codes that are new in the ring. Bytes are also tried in the opposite order.
    private mutating func chooseCandidates(_ keys: KeyRing, _ budget: inout SearchBudget) {
        guard let group, session == nil, considered < keys.keys.count else { return }
        guard budget.spend(keys.keys.count - considered) else { return }
        for index in considered..<keys.keys.count where candidates.count < Self.candidateLimit {
            guard case .broadcastCode(let code) = keys.keys[index].value else { continue }
            guard budget.spend(2 * Self.derivationCost) else { break }
            for isReversed in [false, true] {
                let key = BroadcastEncryption.groupSessionKey(
                    broadcastCode: isReversed ? SecretKey(code.value.byteSwapped) : code,
                    diversifier: group.diversifier)
                let vector = BroadcastEncryption.vector(groupVector: group.vector, accessAddress: accessAddress)
                candidates.append(
                    Session(
                        encryption: LinkEncryption(sessionKey: key, vector: vector, mask: .broadcastStream),
                        candidate: .init(key: index, isReversed: isReversed)))
            }
            failures = 0
        }
        considered = keys.keys.count
    }

    /// The numbers of one side's last payloads.
    private struct Counters: Sendable {
        private var highest: UInt64?
        /// Whether the payloads below the highest were captured, the nearest in the lowest bit.
        private var seen: UInt64 = 0

        /// The counters to try: a few at the highest and at the predicted one, then more around these.
        func ranges(reach: UInt64, near predicted: UInt64?) -> [Range<UInt64>] {
            let top = LinkEncryption.counterMask
            func around(_ place: UInt64, _ before: UInt64, _ after: UInt64) -> Range<UInt64> {
                (place - min(place, before))..<min(place + after, top)
            }
            let next = highest.map { min($0 + 1, top) } ?? 0
            let ranges = [around(next, 2, 4), around(next, 16, reach)]
            guard let predicted, predicted <= top else { return ranges }
            return [ranges[0], around(predicted, 2, 4), ranges[1], around(predicted, reach, reach)]
        }

        /// Records a payload; returns whether it is a new one.
        mutating func observe(_ counter: UInt64) -> Bool {
            guard let highest else {
                self.highest = counter
                return true
            }
            if counter > highest {
                let distance = counter - highest
                seen = distance > 64 ? 0 : (distance == 64 ? 0 : seen << distance) | 1 << (distance - 1)
                self.highest = counter
                return true
            }
            let distance = highest - counter
            guard distance > 0, distance <= 64 else { return false }
            let bit: UInt64 = 1 << (distance - 1)
            defer { seen |= bit }
            return seen & bit == 0
        }
    }
}
