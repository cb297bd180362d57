import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Keys

/// Decryption of the PDUs of one connection on the air (Vol 6, Part B, 5.1.3 and Part E, 2).
///
/// LL_ENC_REQ and LL_ENC_RSP give what a session key is derived from; of the keys known, the one that opens a PDU is the
/// session's. Each side counts its PDUs: after a gap, the counter is searched, nearby for every PDU, far ahead within a
/// budget. Nothing is kept of a PDU.
struct LinkDecryption: Sendable {
    enum Outcome: Sendable {
        case opened(Opening)
        /// A search has found a counter at which the PDU opens, which may be chance.
        case unconfirmed
        case closed
    }

    /// How a PDU was opened.
    struct Opening: Sendable {
        var sender: LinkEncryption.Sender
        /// Whether it is the sender's last PDU, sent again.
        var isRepetition = false
        /// Whether PDUs of the sender before it are missing.
        var isAfterGap = false

        var direction: Direction { sender == .central ? .sent : .received }
    }

    private enum Phase: Equatable, Sendable {
        /// Plain text, or the start of encryption was not captured.
        case off
        /// Encryption may have started; no key has opened a PDU yet.
        case seeking
        case open
        case closed(ClosedReason)
    }

    private var phase = Phase.off
    private var request: LL.EncReq?
    private var response: LL.EncRsp?
    private var peers: (Address?, Address?) = (nil, nil)
    /// Whether a session was derived from `request` and `response`.
    private var isExchangeUsed = false
    private var candidates: [LinkSession.Candidate] = []
    /// Number of keys from which `candidates` were chosen; -1 for none.
    private var keysConsidered = -1
    private var kinds = KeyKinds()
    /// PDUs for which the candidates were tried.
    private var attempts = 0
    private(set) var session: LinkSession?
    /// Searches in a row that found nothing.
    private var failures = 0
    /// Number of the session in the summary, once a PDU was opened.
    var summary: Int?

    /// Searches that fail before the session stays closed.
    private static let failureLimit = 3
    /// PDUs for which the candidates are tried: later, a recorder that decrypts would cost time for nothing.
    private static let attemptLimit = 256
    /// Probability below which a match is not taken for chance.
    private static let chance = 1e-6
    /// AES operations of deriving a session key and expanding it.
    private static let derivationCost = 32
    /// AES operations that take as long as considering a key.
    private static let choiceCost = 4

    /// Whether PDUs may be opened; tested for every PDU.
    var isActive: Bool { phase == .open || phase == .seeking }
    /// Whether counters are followed, so that they show which PDUs are missing.
    var isOpen: Bool { phase == .open }

    /// Why the last PDU stayed closed.
    mutating func reason(_ keys: KeyRing) -> ClosedReason {
        kinds.update(keys)
        switch phase {
        case .closed(let reason): return reason
        case .open: return .counterLost
        case .seeking: return kinds.hasLinkKey || kinds.hasSessionKey ? .noKeyFits : .noKey
        case .off: return kinds.hasLinkKey ? .sessionNotHeard : .noKey
        }
    }
}

// MARK: - Start of encryption

extension LinkDecryption {
    /// Whether control PDUs of a kind matter for the start of encryption.
    static func follows(_ opcode: LL.ControlOpcode) -> Bool {
        switch opcode {
        case .encReq, .encRsp, .startEncReq, .pauseEncRsp, .rejectInd, .rejectExtInd: true
        default: false
        }
    }

    /// Tracks a control PDU in plain text.
    mutating func follow(
        _ opcode: LL.ControlOpcode, _ parameters: ArraySlice<UInt8>, between peers: (Address?, Address?)
    ) {
        switch opcode {
        case .encReq:
            guard let request = try? LL.EncReq(decoding: Array(parameters)), request != self.request else { return }
            self = LinkDecryption()
            self.request = request
            self.peers = peers
        case .encRsp:
            guard let response = try? LL.EncRsp(decoding: Array(parameters)), response != self.response else { return }
            // Without its LL_ENC_REQ, a response gives no key.
            if self.response != nil || isExchangeUsed { self = LinkDecryption() }
            self.response = response
            if request != nil { seek() }
        case .startEncReq:
            if phase == .open, session?.isProven == true, request != nil { return }
            if request == nil || response == nil || isExchangeUsed { self = LinkDecryption() } else { seek() }
        case .pauseEncRsp:
            // The exchange that follows is another one, even if it has the same values.
            (request, response) = (nil, nil)
        case .rejectInd: stopSeeking()
        case .rejectExtInd where parameters.first == LL.ControlOpcode.encReq.rawValue: stopSeeking()
        default: break
        }
    }

    private mutating func seek() {
        phase = .seeking
        (session, summary) = (nil, nil)
        (failures, attempts, keysConsidered) = (0, 0, -1)
    }

    private mutating func stopSeeking() {
        if phase == .seeking { phase = .off }
    }

    /// Chooses the keys to try; again if there are more than the last time.
    private mutating func chooseCandidates(_ keys: KeyRing, _ budget: inout SearchBudget) {
        guard keysConsidered != keys.keys.count, budget.spend(Self.choiceCost * keys.keys.count) else { return }
        keysConsidered = keys.keys.count
        var chosen: [Int] = []
        if let request, response != nil, !isExchangeUsed {
            chosen = keys.sessionKeys(
                between: peers.0, peers.1,
                name: KnownKey.LegacyName(
                    encryptedDiversifier: request.encryptedDiversifier, random: request.random))
        }
        chosen += keys.keys.indices.filter { keys.keys[$0].kind == .session }
        let reversed = chosen.filter { keys.keys[$0].isGiven }
        candidates =
            chosen.map { .init(key: $0, isReversed: false) } + reversed.map { .init(key: $0, isReversed: true) }
    }

    /// The session with a candidate's key.
    private func session(_ candidate: LinkSession.Candidate, _ keys: KeyRing) -> LinkSession? {
        func ordered(_ key: SecretKey) -> SecretKey {
            candidate.isReversed ? SecretKey(key.value.byteSwapped) : key
        }
        switch keys.keys[candidate.key].value {
        case .longTerm(let key), .shortTerm(let key):
            guard let request, let response else { return nil }
            return LinkSession(
                LinkEncryption(
                    longTermKey: ordered(key), centralDiversifier: request.sessionKeyDiversifier,
                    peripheralDiversifier: response.sessionKeyDiversifier,
                    centralVector: request.initializationVector, peripheralVector: response.initializationVector),
                candidate)
        case .session(let key, let vector):
            return LinkSession(
                LinkEncryption(
                    sessionKey: ordered(key), vector: candidate.isReversed ? vector.byteSwapped : vector), candidate)
        default: return nil
        }
    }
}

// MARK: - Opening

extension LinkDecryption {
    /// Opens a PDU at the counter expected next or near it, and appends its plain text. It may be plain text itself: that
    /// opens only by chance.
    mutating func open(
        _ pdu: borrowing SealedPDU, _ keys: KeyRing, _ budget: inout SearchBudget, to plain: inout [UInt8]
    ) -> Outcome {
        switch phase {
        case .open: return openNext(pdu, &budget, to: &plain)
        case .seeking: return tryCandidates(pdu, keys, &budget, to: &plain)
        case .off, .closed: return .closed
        }
    }

    private mutating func openNext(
        _ pdu: borrowing SealedPDU, _ budget: inout SearchBudget, to plain: inout [UInt8]
    ) -> Outcome {
        guard let session else { return .closed }
        let likely = pdu.likelySender
        let expected = session[likely]
        if session.encryption.open(
            pdu.payload, header: pdu.header, counter: expected, from: likely, appendingTo: &plain)
        {
            return accept(.init(sender: likely, counter: expected), isAfterGap: false)
        }
        guard budget.spend(pdu.cost * LinkSession.tries(skipping: 0...(2 * LinkSession.reach))) else { return .closed }
        for sender in [likely, likely.other] where session.isRepetition(pdu, of: sender) {
            let place = LinkSession.Place(sender: sender, counter: session[sender] - 1)
            guard session.decrypt(pdu, at: place, to: &plain) else { break }
            return .opened(Opening(sender: sender, isRepetition: true))
        }
        for sender in [likely, likely.other] {
            guard let counter = session[unconfirmed: sender] else { continue }
            for skipped in 0...LinkSession.reach {
                let place = LinkSession.Place(sender: sender, counter: counter &+ skipped)
                if session.decrypt(pdu, at: place, to: &plain) { return accept(place, isAfterGap: true) }
            }
            // The PDU that was found, sent again, confirms nothing.
            if session.verifies(pdu, at: .init(sender: sender, counter: counter &- 1)) { return .unconfirmed }
        }
        if let place = session.find(pdu, skipping: 0...LinkSession.reach), session.decrypt(pdu, at: place, to: &plain) {
            return accept(place, isAfterGap: place.counter != session[place.sender])
        }
        refute(likely)
        return .closed
    }

    /// Tries the keys at the first counters.
    private mutating func tryCandidates(
        _ pdu: borrowing SealedPDU, _ keys: KeyRing, _ budget: inout SearchBudget, to plain: inout [UInt8]
    ) -> Outcome {
        chooseCandidates(keys, &budget)
        guard !candidates.isEmpty, attempts < Self.attemptLimit else { return .closed }
        attempts += 1
        for candidate in candidates {
            let cost = Self.derivationCost + pdu.cost * LinkSession.tries(skipping: 0...LinkSession.reach)
            guard budget.spend(cost) else { break }
            guard let session = session(candidate, keys) else { continue }
            guard let place = session.find(pdu, skipping: 0...LinkSession.reach),
                session.decrypt(pdu, at: place, to: &plain)
            else { continue }
            begin(session)
            return accept(place, isAfterGap: place.counter > 0)
        }
        return .closed
    }

    private mutating func begin(_ session: LinkSession) {
        self.session = session
        phase = .open
        isExchangeUsed = true
    }

    /// Records that a PDU opens at a place.
    private mutating func accept(_ place: LinkSession.Place, isAfterGap: Bool) -> Outcome {
        session?[place.sender] = place.counter &+ 1
        session?.isProven = true
        session?[unconfirmed: place.sender] = nil
        failures = 0
        return .opened(Opening(sender: place.sender, isAfterGap: isAfterGap))
    }

    /// Drops a counter of a side that a later PDU of it does not confirm.
    private mutating func refute(_ sender: LinkEncryption.Sender) {
        guard session?[unconfirmed: sender] != nil else { return }
        session?[unconfirmed: sender] = nil
        if session?.isProven == false {
            session = nil
            isExchangeUsed = false
            phase = .seeking
        }
        fail()
    }

    private mutating func fail() {
        failures += 1
        guard failures >= Self.failureLimit else { return }
        phase = .closed(phase == .open ? .counterLost : .noKeyFits)
        session = nil
    }
}

// MARK: - Searching

extension LinkDecryption {
    /// Searches the counter of a PDU that is known to be ciphertext and did not open nearby.
    mutating func search(
        _ pdu: borrowing SealedPDU, _ keys: KeyRing, _ budget: inout SearchBudget, to plain: inout [UInt8]
    ) -> Outcome {
        switch phase {
        case .closed: return .closed
        case .open: break
        case .off:
            // A session key can be given for a capture that starts inside an encrypted connection.
            kinds.update(keys)
            guard kinds.hasSessionKey else { return .closed }
            seek()
            let outcome = tryCandidates(pdu, keys, &budget, to: &plain)
            if case .opened = outcome { return outcome }
        case .seeking: break
        }
        if let session {
            guard let found = session.search(pdu, &budget) else { return .closed }
            if let place = found.place { return accept(place, after: found.tries, pdu, to: &plain) }
            fail()
            return .closed
        }
        var tries = 0
        for candidate in candidates {
            guard let session = session(candidate, keys), let found = session.search(pdu, &budget) else { break }
            tries += found.tries
            guard let place = found.place else { continue }
            begin(session)
            return accept(place, after: tries, pdu, to: &plain)
        }
        if tries > 0 { fail() }
        return .closed
    }

    /// Opens a PDU where a search has found it, unless that may be chance: a MIC of 32 bits is right by chance once in
    /// 2^32 tries, and the plain text is then rarely well formed.
    private mutating func accept(
        _ place: LinkSession.Place, after tries: Int, _ pdu: borrowing SealedPDU, to plain: inout [UInt8]
    ) -> Outcome {
        let start = plain.count
        guard let session, session.decrypt(pdu, at: place, to: &plain) else { return .closed }
        let rarity = EncryptionInference.chance(
            ofPlainText: plain.span.extracting(start..<plain.count), LL.LLID(rawValue: pdu.header & 3))
        if Double(tries) / 4_294_967_296 * rarity < Self.chance { return accept(place, isAfterGap: true) }
        plain.removeLast(plain.count - start)
        self.session?[unconfirmed: place.sender] = place.counter &+ 1
        return .unconfirmed
    }
}

extension LinkSession {
    /// Tries the counters far ahead; nil if the budget does not allow it, so that nothing has failed.
    fileprivate func search(_ pdu: borrowing SealedPDU, _ budget: inout SearchBudget) -> (place: Place?, tries: Int)? {
        let range = (Self.reach + 1)...Self.searchReach
        guard pdu.cost * Self.tries(skipping: range) <= budget.rest else { return nil }
        let place = find(pdu, skipping: range)
        let tries = Self.tries(skipping: range, until: place.map { $0.counter &- self[$0.sender] })
        budget.charge(pdu.cost * tries)
        return (place, tries)
    }

    /// Appends the plain text of a PDU if it opens at a place.
    fileprivate func decrypt(_ pdu: borrowing SealedPDU, at place: Place, to plain: inout [UInt8]) -> Bool {
        encryption.open(
            pdu.payload, header: pdu.header, counter: place.counter, from: place.sender, appendingTo: &plain)
    }
}

/// The kinds of keys in a ring that matter where the start of encryption was not captured.
private struct KeyKinds: Sendable {
    private(set) var hasLinkKey = false
    private(set) var hasSessionKey = false
    private var count = 0

    /// Looks at the keys that were added since the last time.
    mutating func update(_ keys: KeyRing) {
        guard count < keys.keys.count else { return }
        for key in keys.keys[count...] {
            switch key.kind {
            case .ltk, .stk: hasLinkKey = true
            case .session: hasSessionKey = true
            default: break
            }
        }
        count = keys.keys.count
    }
}

extension KnownKey {
    /// Whether the user gave it, so that its bytes may be in the wrong order.
    fileprivate var isGiven: Bool {
        switch origin {
        case .given, .file: true
        case .frame, .pairing: false
        }
    }
}
