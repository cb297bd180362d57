import Bluetooth
import BluetoothCrypto
import Bytes
import Captures

/// Whether the PDUs of a connection on the air are plain text, decided for each direction from evidence.
///
/// The evidence, strongest first: the recorder's flags; PDUs too short for a message integrity code (MIC); PDUs that
/// parse as valid, which ciphertext does only by chance; the procedures that start and pause encryption (Vol 6, Part B,
/// 5.1.3). A decision stands until later evidence contradicts it, so it recovers from lost PDUs, from a capture that
/// starts inside an encrypted connection, and from a recorder that decrypts.
struct EncryptionInference: Sendable {
    /// Interpretation of a PDU's payload.
    enum Reading: Sendable {
        case plain
        /// Not known yet: the payload is passed to no upper layer.
        case undecided
        case ciphertext
    }

    /// Whether the start of encryption was captured, or the recorder has decrypted a PDU.
    private var hasStarted = false
    private var sides: (sent: Side, received: Side, unknown: Side)
    /// Consecutive well-formed control PDUs while it is not known whether they are plain text: about one in a hundred
    /// ciphertext PDUs is well formed by chance.
    private var hints = 0

    /// - Parameter isBeginningKnown: whether the connection was captured from its beginning, which is plain text.
    init(isBeginningKnown: Bool = true) {
        let side = Side(reading: isBeginningKnown ? .plain : .undecided)
        sides = (side, side, side)
    }

    /// Whether the connection is or was encrypted on the air, decrypted by the recorder or not.
    var isEncrypted: Bool {
        hasStarted || sides.sent.reading == .ciphertext || sides.received.reading == .ciphertext
            || sides.unknown.reading == .ciphertext
    }

    /// Whether PDUs are ciphertext at present.
    var isCiphertext: Bool { sides.sent.reading == .ciphertext || sides.received.reading == .ciphertext }

    /// Whether a payload parses as an L2CAP PDU of an LE channel, or as its first fragment.
    static func isL2CAP(_ payload: Span<UInt8>, _ header: LL.DataHeader) -> Bool {
        guard payload.count > CCM.codeSize, Evidence(payload, header) == .strong else { return false }
        let channel = payload.rawBytes.littleEndian(at: 2, as: UInt16.self)
        return (0x0004...0x0006).contains(channel) || (0x0020...0x007F).contains(channel)
    }

    /// Probability that random bytes are as well formed as these, which are a payload without its MIC.
    static func chance(ofPlainText payload: Span<UInt8>, _ llid: LL.LLID) -> Double {
        let header = LL.DataHeader(llid: llid, length: payload.count)
        if payload.isEmpty { return 1 }
        if llid == .control { return Evidence.isControl(payload, of: payload.count) ? 0.01 : 1 }
        guard case .strong = Evidence(payload, header) else { return 1 }
        return 0.00005
    }

    private struct Side: Sendable {
        var reading: Reading
        /// Whether the last captured PDU was plain text, but the start of encryption may have been missed since.
        var isDoubtful = false

        mutating func doubt() {
            if reading == .plain { isDoubtful = true }
        }

        /// Applies the decision about another direction: both are encrypted or neither, except during the change.
        mutating func follow(_ settled: Reading) {
            switch (settled, reading) {
            case (.plain, .undecided): self = Side(reading: .plain, isDoubtful: true)
            case (.plain, .ciphertext), (.ciphertext, .plain): reading = .undecided
            case (.ciphertext, .undecided): reading = .ciphertext
            default: break
            }
        }
    }
}

// MARK: - Deciding

extension EncryptionInference {
    /// Decides the interpretation of a PDU's payload; `payload` is the captured part, which is not empty.
    mutating func reading(
        of payload: Span<UInt8>, _ header: LL.DataHeader, _ capture: LL.CaptureHeader, _ direction: Direction
    ) -> Reading {
        if capture.isDecrypted {
            if !hasStarted { noteMissedPDU() }
            hasStarted = true
            return .plain
        }
        switch Evidence(payload, header) {
        case .certain, .strong:
            settle(direction, .plain)
            return .plain
        case _ where capture.isEncrypted == true:
            settle(direction, .ciphertext)
            return .ciphertext
        case .weak: return readWeakly(direction)
        case .none: return self[direction].reading
        case .against: return refuse(direction)
        }
    }

    /// Handles a well-formed control PDU: plain text where that is expected, else only if a second one follows.
    private mutating func readWeakly(_ direction: Direction) -> Reading {
        if self[direction].reading == .plain { return .plain }
        hints += 1
        if hints > 1 { settle(direction, .plain) }
        return self[direction].reading
    }

    /// Handles a PDU that cannot be parsed: malformed if the connection is known to be plain text, else ciphertext.
    private mutating func refuse(_ direction: Direction) -> Reading {
        hints = 0
        switch self[direction].reading {
        case .plain where !self[direction].isDoubtful: return .plain
        case .plain: self[direction].reading = .undecided
        case .undecided, .ciphertext: settle(direction, .ciphertext)
        }
        return self[direction].reading
    }

    private mutating func settle(_ direction: Direction, _ reading: Reading) {
        if self[direction].reading == reading, !self[direction].isDoubtful { return }
        sides.sent.follow(reading)
        sides.received.follow(reading)
        sides.unknown.follow(reading)
        self[direction] = Side(reading: reading)
    }

    private subscript(direction: Direction) -> Side {
        get {
            switch direction {
            case .unknown: sides.unknown
            case .sent: sides.sent
            case .received: sides.received
            }
        }
        set {
            switch direction {
            case .unknown: sides.unknown = newValue
            case .sent: sides.sent = newValue
            case .received: sides.received = newValue
            }
        }
    }
}

// MARK: - Following

extension EncryptionInference {
    /// Records that a PDU was missed, which may have started encryption.
    mutating func noteMissedPDU() {
        sides.sent.doubt()
        sides.received.doubt()
        sides.unknown.doubt()
    }

    /// Records that a PDU was decrypted with a key.
    mutating func noteDecrypted(_ direction: Direction) {
        hasStarted = true
        settle(direction, .ciphertext)
    }

    /// Tracks a control PDU in plain text.
    mutating func follow(_ opcode: LL.ControlOpcode, length: Int) {
        switch (opcode, length) {
        case (.encReq, 23), (.pauseEncReq, 1), (.pauseEncRsp, 1): setAll(Side(reading: .plain, isDoubtful: true))
        // The next PDU is LL_START_ENC_REQ, a rejection, or already ciphertext.
        case (.encRsp, 13): setAll(Side(reading: .undecided))
        case (.startEncReq, 1):
            hasStarted = true
            setAll(Side(reading: .undecided))
        // LL_START_ENC_RSP is encrypted on the air: the recorder has decrypted it.
        case (.startEncRsp, 1): hasStarted = true
        default: break
        }
    }

    private mutating func setAll(_ side: Side) {
        hints = 0
        sides = (side, side, side)
    }
}

// MARK: - Evidence

extension EncryptionInference {
    /// Evidence for plain text in the bytes of a payload.
    private enum Evidence {
        /// Too short for a MIC.
        case certain
        /// An L2CAP header that fits the payload: about one in 20,000 ciphertext PDUs has one by chance.
        case strong
        /// A well-formed control PDU.
        case weak
        case none
        case against

        init(_ payload: Span<UInt8>, _ header: LL.DataHeader) {
            let count = header.length
            if count <= CCM.codeSize {
                self = .certain
            } else if header.llid == .control {
                self = Self.isControl(payload, of: count) ? .weak : .against
            } else {
                self = header.llid == .start ? Self(start: payload.rawBytes, of: count) : .none
            }
        }

        /// Whether a payload of `count` bytes can be a control PDU; bytes that were cut off may have any value.
        static func isControl(_ payload: Span<UInt8>, of count: Int) -> Bool {
            guard let row = LL.ControlOpcode.table[LL.ControlOpcode(rawValue: payload[0])] else { return false }
            guard count == payload.count else {
                var reader = ByteReader(payload.extracting(1...))
                reader.isCut = true
                do throws(DecodeError) {
                    _ = try row.pdu.init(reading: &reader)
                    return reader.isAtEnd
                } catch {
                    return error.reason == .truncated
                }
            }
            var reader = ByteReader(payload.extracting(1...))
            return (try? row.pdu.init(reading: &reader)) != nil && reader.isAtEnd
        }

        /// The evidence of an L2CAP PDU's first fragment, of five bytes or more.
        private init(start payload: RawSpan, of count: Int) {
            guard payload.byteCount >= FragmentAssembler.headerLength else {
                self = .none
                return
            }
            let length = Int(payload.littleEndian(at: 0, as: UInt16.self)) + FragmentAssembler.headerLength
            let channel = L2CAP.ChannelID(rawValue: payload.littleEndian(at: 2, as: UInt16.self))
            if length == count {
                self = .strong
            } else if length < count {
                self = .against
            } else if payload.byteCount == FragmentAssembler.headerLength {
                self = .none
            } else {
                self = Self(firstFragment: payload, channel)
            }
        }

        private init(firstFragment payload: RawSpan, _ channel: L2CAP.ChannelID) {
            let code = payload.byte(at: FragmentAssembler.headerLength)
            switch channel {
            case .att: self = ATT.Opcode.table.shape(of: ATT.Opcode(rawValue: code)) == nil ? .none : .strong
            case .smp: self = SMP.Opcode.table[SMP.Opcode(rawValue: code)] == nil ? .none : .strong
            case .leSignaling: self = .strong
            // Channels from Assigned Numbers, and dynamic channels on LE.
            default: self = (0x0020...0x007F).contains(channel.rawValue) ? .none : .against
            }
        }
    }
}
