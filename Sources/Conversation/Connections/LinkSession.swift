import Bluetooth
import BluetoothCrypto
import Captures

/// An encrypted PDU of a connection: its payload with the MIC, and what its nonce depends on.
struct SealedPDU: ~Escapable {
    let payload: Span<UInt8>
    /// The first byte of the PDU.
    let header: UInt8
    /// The direction as recorded or inferred.
    let direction: Direction

    @_lifetime(copy payload)
    init(_ payload: Span<UInt8>, header: UInt8, _ direction: Direction) {
        self.payload = payload
        self.header = header
        self.direction = direction
    }

    /// The side that has probably sent it.
    var likelySender: LinkEncryption.Sender { direction == .received ? .peripheral : .central }

    /// AES operations that trying one counter takes.
    var cost: Int { CCM.cost(of: payload.count) }
}

/// An encrypted session of a connection: its key, and the packet counters of both sides (Vol 6, Part E, 2.1).
struct LinkSession: Sendable {
    typealias Sender = LinkEncryption.Sender

    /// Where a PDU was found: its sender and its packet counter.
    struct Place: Sendable {
        var sender: Sender
        var counter: UInt64
    }

    let encryption: LinkEncryption
    let candidate: Candidate
    /// The counters expected next.
    private var central: UInt64 = 0
    private var peripheral: UInt64 = 0
    /// The counters after those that a long search has found, until a PDU of the side confirms them.
    private var unconfirmedCentral: UInt64?
    private var unconfirmedPeripheral: UInt64?
    /// Whether a PDU has proved that the key fits.
    var isProven = false

    /// A key of the ring from which the session may be derived.
    struct Candidate: Sendable {
        /// Index in the ring.
        var key: Int
        /// Whether the bytes of the key are reversed.
        var isReversed: Bool
    }

    /// Counters after the expected one that are tried for every PDU: at most as many PDUs of a side may be missing.
    static let reach: UInt64 = 8
    /// Counters after the expected one that a search tries.
    static let searchReach: UInt64 = 70_000

    init(_ encryption: LinkEncryption, _ candidate: Candidate) {
        self.encryption = encryption
        self.candidate = candidate
    }

    /// The counter expected next of a side.
    subscript(sender: Sender) -> UInt64 {
        get { sender == .central ? central : peripheral }
        set {
            if sender == .central { central = newValue } else { peripheral = newValue }
        }
    }

    /// The counter after one of a side that a long search has found; nil for none.
    subscript(unconfirmed sender: Sender) -> UInt64? {
        get { sender == .central ? unconfirmedCentral : unconfirmedPeripheral }
        set {
            if sender == .central { unconfirmedCentral = newValue } else { unconfirmedPeripheral = newValue }
        }
    }

    func verifies(_ pdu: borrowing SealedPDU, at place: Place) -> Bool {
        encryption.verifies(pdu.payload, header: pdu.header, counter: place.counter, from: place.sender)
    }

    /// Whether a PDU is the last one of a side, sent again.
    func isRepetition(_ pdu: borrowing SealedPDU, of sender: Sender) -> Bool {
        self[sender] > 0 && verifies(pdu, at: Place(sender: sender, counter: self[sender] - 1))
    }

    /// The first counter at which a PDU opens, at a distance in `range` from the expected one of either side.
    func find(_ pdu: borrowing SealedPDU, skipping range: ClosedRange<UInt64>) -> Place? {
        let (likely, other) = (pdu.likelySender, pdu.likelySender.other)
        for skipped in range {
            let place = Place(sender: likely, counter: self[likely] &+ skipped)
            if verifies(pdu, at: place) { return place }
            let otherPlace = Place(sender: other, counter: self[other] &+ skipped)
            if verifies(pdu, at: otherPlace) { return otherPlace }
        }
        return nil
    }

    /// Tries of `find` until it found a place, or over the whole range.
    static func tries(skipping range: ClosedRange<UInt64>, until skipped: UInt64? = nil) -> Int {
        2 * Int((skipped ?? range.upperBound) &- range.lowerBound &+ 1)
    }
}

/// Work that searching for packet counters may still do: a fixed amount, and more with each frame, so that all searching
/// takes no longer than decoding.
struct SearchBudget: Sendable {
    /// Number of the current frame.
    var frame = 0
    private var spent = 0

    /// AES operations at the start: enough for the longest search with the longest PDU, about 0.2 s.
    private static let initial = 5_000_000
    /// AES operations for each frame, about 1 µs.
    private static let perFrame = 24

    /// AES operations left.
    var rest: Int { Self.initial + Self.perFrame * min(frame, 1 << 40) - spent }

    /// Takes an amount if it is left.
    mutating func spend(_ amount: Int) -> Bool {
        guard amount <= rest else { return false }
        spent += amount
        return true
    }

    /// Takes an amount that was checked before.
    mutating func charge(_ amount: Int) { spent += amount }
}
