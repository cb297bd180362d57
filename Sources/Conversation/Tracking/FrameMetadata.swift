package import Bluetooth
package import Bytes
package import Captures

/// Tracking results for one frame: everything that its own bytes do not contain.
///
/// It is plain data. With it and the frame's bytes, a frame can be dissected on any thread, in any order.
package struct FrameMetadata: Sendable {
    package var packet: CapturedPacket
    /// The packet as HCI; nil on the air, and for a packet that is too short to identify.
    package let hci: HCIView?
    package var kind: Kind
    /// The channel of the L2CAP PDU that ends with this frame, or whose fragment this frame carries; 0 where it is not
    /// known.
    package var channel: UInt16 = 0
    /// The PSM or SPSM of the dynamic channel of the L2CAP PDU that ends with this frame; 0 where it is not known.
    package var psm: UInt16 = 0
    /// Index of the connection in `Tracker.connections`; -1 for none.
    package var connection: Int32 = -1
    /// Index of the device that sent it, in `Tracker.devices`; -1 where it is not known.
    package var sender: Int32 = -1
    /// Index of the device that receives it, in `Tracker.devices`; -1 where it is not known.
    package var receiver: Int32 = -1
    /// The direction, as recorded or inferred.
    package var direction: Direction
    /// The L2CAP PDU that ends with this frame.
    package var pdu = BufferRange.none
    /// The payload of a data or control PDU in plain text, if a key has opened it.
    package var plain = BufferRange.none
    /// The SDU or the advertising data that ends with this frame, if several PDUs carried it.
    package var sdu = BufferRange.none
    /// An attribute value that ends with this frame, assembled from several ATT PDUs.
    package var longValue = BufferRange.none
    /// Metadata of the ATT PDU, if the frame ends with one; filled in place.
    var att = AttributeFacts(opcode: ATT.Opcode(rawValue: 0))
    private var hasATT = false
    /// Metadata of a K-frame; nil for other PDUs.
    package var segment: SegmentFacts?
    package var notes: Notes = []
    /// Why the PDU was not decrypted; nil unless it is encrypted.
    package var closed: ClosedReason?
    /// Index in the batch's `streamPDUs`, for a frame of a stream outside connections; -1 for others.
    package var streamPDU: Int32 = -1

    /// The metadata that the frame itself provides, before tracking; `bytes` are its batch's.
    ///
    /// It is inlined to be written in place: building it elsewhere and copying it takes twice as long.
    @inline(__always)
    package init(packet: CapturedPacket, in bytes: RawSpan) {
        self.packet = packet
        let view = packet.hciView(in: bytes)
        hci = view
        direction = view?.direction ?? packet.direction
        kind = Kind(view?.type)
    }

    /// Metadata of the ATT PDU; nil if there is none.
    @inline(__always)
    package var attribute: AttributeFacts? { hasATT ? att : nil }

    /// Records that the frame ends with an ATT PDU.
    @inline(__always)
    mutating func begin(_ opcode: ATT.Opcode) {
        hasATT = true
        att.opcode = opcode
    }

    /// Whether the channel was opened by signaling.
    package var isOnDynamicChannel: Bool { L2CAP.ChannelID(rawValue: channel).isDynamic }

    /// Payload bytes of the L2CAP PDU that ends with the frame; 0 if there is none.
    package var payloadCount: Int { max(0, pdu.count - FragmentAssembler.headerLength) }

    /// Offset of the L2CAP PDU's payload, in the frame or in the reassembled PDU, for diagnostics.
    package var payloadOffset: Int {
        switch pdu.place {
        case .none: 0
        case .frame: pdu.start - packet.start + FragmentAssembler.headerLength
        case .reassembled: FragmentAssembler.headerLength
        }
    }

    /// The ATT PDU that ends with the frame: the payload of the L2CAP PDU, or an SDU of an enhanced bearer.
    package var attPDU: BufferRange {
        guard let segment else { return pdu.dropping(FragmentAssembler.headerLength) }
        if segment.isWhole { return pdu.dropping(FragmentAssembler.headerLength + SegmentFacts.lengthSize) }
        return BufferRange(place: sdu.place, start: sdu.start, count: Int(segment.sduCount))
    }

    /// The attribute value, or the part of one, in the ATT PDU itself; nil if there is none, or if the recorder cut it.
    package var carriedValue: BufferRange? {
        guard !packet.isCut, let range = attribute?.value else { return nil }
        let pdu = attPDU
        if pdu.place == .none { return nil }
        return BufferRange(place: pdu.place, start: pdu.start + range.lowerBound, count: range.count)
    }

    /// Offset of the ATT PDU, in the frame, in the reassembled PDU or in the SDU, for diagnostics.
    package var attOffset: Int {
        guard let segment else { return payloadOffset }
        return segment.isWhole ? payloadOffset + SegmentFacts.lengthSize : 0
    }

    /// The ATT bearer of a frame that ends with an ATT PDU: 0 for the fixed channel and on BR/EDR, else the number of
    /// the channel.
    package var bearer: UInt8 { segment?.channel ?? 0 }

    /// Whether the L2CAP PDU that ends with the frame lies in the plain text of its decrypted payload.
    package var isPDUDecrypted: Bool {
        plain.isPresent && pdu.place == .reassembled && plain.range.contains(pdu.start)
    }

    /// The place of a range of the payload: in the frame, or in its plain text, in which ranges begin at 0.
    @inline(__always)
    func place(ofPayload range: Range<Int>) -> BufferRange {
        plain.isPresent
            ? BufferRange(place: .reassembled, start: plain.start + range.lowerBound, count: range.count)
            : BufferRange(place: .frame, start: range.lowerBound, count: range.count)
    }

    /// Bytes assembled besides the L2CAP PDU: an SDU, a long value, messages of the application.
    package var assembled: BufferRange { sdu.isPresent ? sdu : longValue }

    /// The kind of a frame, by its outermost layer.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// HCI packets, numbered as in H4.
        case command = 1
        case acl, sco, event, iso
        /// On the air: a PDU of primary advertising, scanning and initiating included.
        case advertising
        /// On the air: a PDU of a connection that carries L2CAP.
        case data
        case control
        case empty
        /// A note of the recorder, or an unknown frame.
        case other
        /// On the air: a PDU of auxiliary advertising, scanning and initiating included.
        case auxiliary
        /// On the air: a PDU of a periodic advertising train, or a response.
        case periodic
        /// On the air: a PDU of a connected or broadcast isochronous stream.
        case isochronous
        /// On the air: a packet whose CRC is wrong or whose access address is damaged.
        case damaged
        /// On the air: a packet of an access address from which too few packets were captured.
        case unassigned

        /// Whether it is an advertising PDU of any kind.
        package var isAdvertising: Bool { self == .advertising || self == .auxiliary || self == .periodic }

        @inline(__always)
        init(_ type: H4PacketType?) {
            let number = Int(type?.rawValue ?? 0)
            self = number < Self.ofHCI.count ? Self.ofHCI[number] : .other
        }

        private static let ofHCI: [Self] = [.other, .command, .acl, .sco, .event, .iso]
    }

    /// A range of bytes that belong to a frame but need not lie in it.
    package struct BufferRange: Sendable, Hashable {
        package enum Place: UInt8, Sendable {
            case none
            /// In the batch's bytes.
            case frame
            /// In the batch's reassembled bytes.
            case reassembled
        }

        private let first: UInt32
        /// The place in the two highest bits, the byte count below: every frame has three of these ranges.
        private let placeAndCount: UInt32

        package init(place: Place, start: Int, count: Int) {
            first = UInt32(truncatingIfNeeded: start)
            placeAndCount = UInt32(place.rawValue) << 30 | UInt32(truncatingIfNeeded: count) & Self.countMask
        }

        private static let countMask: UInt32 = 1 << 30 - 1

        package static let none = BufferRange(place: .none, start: 0, count: 0)

        /// Whether there are such bytes; tested for every frame.
        package var isPresent: Bool { placeAndCount > Self.countMask }
        package var place: Place { Place(rawValue: UInt8(placeAndCount >> 30)) ?? .none }
        package var start: Int { Int(first) }
        package var count: Int { Int(placeAndCount & Self.countMask) }
        package var range: Range<Int> { start..<(start + count) }

        /// The range without its first bytes.
        func dropping(_ count: Int) -> BufferRange {
            BufferRange(place: place, start: start + count, count: self.count - count)
        }
    }

    /// Observations about a frame in its conversation.
    package struct Notes: OptionSet, Sendable, Hashable {
        package var rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Whether there are no notes; tested for every frame.
        package var isEmpty: Bool { rawValue == 0 }

        /// A part of an L2CAP PDU that is not complete yet.
        package static let fragment = Self(rawValue: 1 << 0)
        /// A continuation whose start was not captured.
        package static let orphan = Self(rawValue: 1 << 1)
        /// A PDU began before the one in progress was complete.
        package static let unfinished = Self(rawValue: 1 << 2)
        /// The fragments contain more bytes than the L2CAP header states.
        package static let overrun = Self(rawValue: 1 << 3)
        /// The link layer sent the same PDU again; it was not passed up twice.
        package static let retransmission = Self(rawValue: 1 << 4)
        /// The CRC is wrong; the PDU was not passed up.
        package static let badCRC = Self(rawValue: 1 << 5)
        /// The payload is encrypted.
        package static let encrypted = Self(rawValue: 1 << 6)
        /// A response to a request that was not captured.
        package static let unasked = Self(rawValue: 1 << 7)
        /// A request sent while another one of the same side was unanswered.
        package static let overlapping = Self(rawValue: 1 << 8)
        /// The first frame of a connection whose beginning was not captured.
        package static let beginningMissing = Self(rawValue: 1 << 9)
        /// A PDU on the air before it, of either side, was missed: the sequence numbers or the connection events show
        /// it, or leave it open.
        package static let missed = Self(rawValue: 1 << 11)
        /// The frame breaks a rule of its channel, which `ReassemblyBuffers.channelFaults` lists.
        package static let finding = Self(rawValue: 1 << 10)
        /// One part of a value that is read or written in several parts.
        package static let partialValue = Self(rawValue: 1 << 13)
        /// ACL data of a handle that belongs to no connection.
        package static let vendorData = Self(rawValue: 1 << 18)
        /// The value that was read is the declaration of a characteristic, as far as the table is known at that point.
        package static let declaration = Self(rawValue: 1 << 19)
        /// A part of an SDU that is not complete yet.
        package static let segment = Self(rawValue: 1 << 12)
        /// The payload may be encrypted: it was not passed up.
        package static let undecidedEncryption = Self(rawValue: 1 << 14)
        /// The PDU may be a retransmission, as others before it may have been missed; it was passed up.
        package static let undecidedRepetition = Self(rawValue: 1 << 15)
        /// The recorder wrote no CRC.
        package static let noCRC = Self(rawValue: 1 << 16)
        /// The recorder or a key has decrypted the payload.
        package static let decrypted = Self(rawValue: 1 << 17)
        /// The access address is damaged: it belongs to no connection or stream.
        package static let damagedAddress = Self(rawValue: 1 << 24)
        /// The controller reports the SDU as lost.
        package static let lostSDU = Self(rawValue: 1 << 25)

        /// The attribute's value is a key, the characteristic Encrypted Data Key Material: no output shows it.
        package static let keyMaterial = Self(rawValue: 1 << 21)

        /// The recorder has written the packet before: it was not tracked twice.
        package static let duplicate = Self(rawValue: 1 << 20)

        /// `merge` has linked the frame with another capture's, or looked for it there: `ReassemblyBuffers.views`.
        package static let merged = Self(rawValue: 1 << 28)
        /// Another capture's view of the PDU is the better evidence: its content was not tracked twice.
        package static let secondView = Self(rawValue: 1 << 29)

        // Sets that other modules test every frame for: a literal there would be built anew each time.

        /// The fragment is not part of a whole L2CAP PDU.
        package static let brokenFragment: Self = [.orphan, .unfinished, .overrun]
        /// The link layer PDU was not passed up.
        package static let discarded: Self = [.badCRC, .retransmission]
    }
}

/// Metadata of an ATT PDU.
package struct AttributeFacts: Sendable {
    package var opcode: ATT.Opcode
    /// The attribute that it concerns: its own, or that of the request that it answers; 0 for none.
    package var handle = Handle(0)
    private var valueOffset: UInt16 = 0
    private var valueCount: UInt16 = 0
    /// The version of the server's table.
    package var tableVersion = TableVersion.unknown
    /// Index in the batch's `requests` of the request that it answers; -1 for PDUs that answer nothing.
    package var request: Int32 = -1

    init(opcode: ATT.Opcode) {
        self.opcode = opcode
    }

    /// Range of the value in the ATT PDU, counted from its opcode; nil for none.
    package var value: Range<Int>? {
        valueOffset == 0 ? nil : Int(valueOffset)..<(Int(valueOffset) + Int(valueCount))
    }

    @inline(__always)
    mutating func setValue(at offset: Int, count: Int) {
        valueOffset = UInt16(truncatingIfNeeded: offset)
        valueCount = UInt16(truncatingIfNeeded: count)
    }
}

/// Metadata of a K-frame (Vol 3, Part A, 3.4).
package struct SegmentFacts: Sendable {
    /// Length in bytes of the SDU that it ends, if that began in another K-frame.
    package var sduCount: UInt16 = 0
    /// Number of the channel within its connection.
    package var channel: UInt8
    var part: Part

    /// The part of an SDU in a K-frame.
    enum Part: UInt8, Sendable { case whole, first, later, last }

    /// Whether it begins with the SDU's length.
    package var isFirst: Bool { part == .whole || part == .first }
    /// Whether it ends an SDU that began in another K-frame.
    package var endsSDU: Bool { part == .last }
    /// Whether it contains the whole SDU.
    package var isWhole: Bool { part == .whole }

    /// Size of the SDU length field, in bytes.
    static let lengthSize = 2
}

/// Tracking results of a batch besides the metadata of its frames.
package struct ReassemblyBuffers: Sendable {
    /// PDUs, SDUs and values assembled from several frames.
    package var bytes: [UInt8] = []
    /// The requests that responses of the batch answer.
    package var requests: [RequestFacts] = []
    /// Violations of the rules for credit-based channels, by frame number.
    package var channelFaults: [Int: [L2CAP.ChannelFault]] = [:]
    /// Senders of the advertising reports of an event with several, by frame number: indices in `Tracker.devices`, -1
    /// where they are not known.
    package var reporters: [Int: [Int32]] = [:]
    /// Changes of a connection's parameters, by the number of the frame that makes them.
    package var linkChanges: [Int: [LinkChange]] = [:]
    /// Parts of advertising data, by frame number and by offset in the frame.
    package var advertisingParts: [Int: [Int: AdvertisingPart]] = [:]
    /// Structures of Encrypted Advertising Data in plain text, by frame number and by the data's offset in the frame.
    package var openedAdvertising: [Int: [Int: FrameMetadata.BufferRange]] = [:]
    /// The enhanced ATT bearers of a connection after a frame that changes them, by frame number: their ATT_MTUs in
    /// bytes, by the bearers' numbers.
    package var bearers: [Int: [UInt8: UInt16]] = [:]
    /// Central and peripheral of connections on the air that have frames of unknown direction: indices in
    /// `Tracker.devices`, by the connection's index.
    package var ends: [Int32: (central: Int32, peripheral: Int32)] = [:]
    /// What other captures show of the PDU that ends with a frame, by frame number, in a file that `merge` wrote.
    package var views: [Int: [ViewLink]] = [:]
    /// Positions of PDUs in streams outside connections.
    package private(set) var streamPDUs: [StreamPDU] = []
    /// Indices in the batch of frames that answer a read and thus contain values.
    package private(set) var reads: [Int] = []
    /// Index in the batch of the current frame.
    var frame = 0

    package init() {}

    /// Records that the current frame answers a read.
    mutating func noteRead() { reads.append(frame) }

    /// Appends assembled bytes.
    mutating func append(_ whole: [UInt8]) -> FrameMetadata.BufferRange {
        let piece = FrameMetadata.BufferRange(place: .reassembled, start: bytes.count, count: whole.count)
        bytes += whole
        return piece
    }

    /// Appends the plain text of a PDU's payload.
    mutating func addPlain(_ plain: [UInt8]) -> FrameMetadata.BufferRange { append(plain) }

    /// Appends the position of a PDU in its stream, and returns its index.
    mutating func append(_ pdu: StreamPDU) -> Int32 {
        streamPDUs.append(pdu)
        return Int32(truncatingIfNeeded: streamPDUs.count - 1)
    }

    /// Removes everything, for the next batch.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        requests.removeAll(keepingCapacity: true)
        reads.removeAll(keepingCapacity: true)
        streamPDUs.removeAll(keepingCapacity: true)
        if !channelFaults.isEmpty { channelFaults.removeAll(keepingCapacity: true) }
        if !reporters.isEmpty { reporters.removeAll(keepingCapacity: true) }
        if !advertisingParts.isEmpty { advertisingParts.removeAll(keepingCapacity: true) }
        if !openedAdvertising.isEmpty { openedAdvertising.removeAll(keepingCapacity: true) }
        if !linkChanges.isEmpty { linkChanges.removeAll(keepingCapacity: true) }
        if !bearers.isEmpty { bearers.removeAll(keepingCapacity: true) }
        if !ends.isEmpty { ends.removeAll(keepingCapacity: true) }
        if !views.isEmpty { views.removeAll(keepingCapacity: true) }
    }
}

/// The properties of a request that its response depends on. Plain data without gaps: it is copied as a whole.
package struct RequestFacts: Sendable {
    package let opcode: ATT.Opcode
    /// Which of the two UUIDs are present, and whether there is a range of handles.
    private var named: Named = []
    package var handle: Handle
    /// Offset in a Read Blob Request, in bytes; Client Rx MTU of an Exchange MTU Request; for a request with a range of
    /// handles, the first handle.
    private var operand: UInt16 = 0
    private var lastHandle: UInt16 = 0
    /// The handles in a Read Multiple Request, two bytes each.
    package var handles = FrameMetadata.BufferRange.none
    private var storedType = UUID(0)
    private var storedValue = UUID(0)
    /// Number of its frame.
    package let frame: Int
    package let time: Timestamp
    /// Time from the request to the response.
    package var latency = TimeSpan.zero

    package init(opcode: ATT.Opcode, handle: Handle = Handle(0), type: UUID? = nil, frame: Int, time: Timestamp) {
        self.opcode = opcode
        self.handle = handle
        self.frame = frame
        self.time = time
        self.type = type
    }

    /// The request in a frame.
    @inline(__always)
    init(_ metadata: borrowing FrameMetadata) {
        opcode = metadata.att.opcode
        handle = metadata.att.handle
        frame = metadata.packet.number
        time = metadata.packet.time
    }

    /// Offset in a Read Blob Request, in bytes.
    package var offset: UInt16 {
        get { named.contains(.range) ? 0 : operand }
        set { operand = newValue }
    }

    /// Client Rx MTU of an Exchange MTU Request, in bytes; 0 where it was not captured.
    package var offeredMTU: UInt16 {
        get { opcode == .exchangeMTURequest ? operand : 0 }
        set { operand = newValue }
    }

    /// Whether requests overlap, so that the response may be one to another request.
    package var isAmbiguous: Bool {
        get { named.contains(.ambiguous) }
        set { if newValue { named.insert(.ambiguous) } else { named.remove(.ambiguous) } }
    }

    /// Starting and ending handle of a request with a range of handles, as sent; nil for other requests.
    package var range: (start: UInt16, end: UInt16)? {
        named.contains(.range) ? (operand, lastHandle) : nil
    }

    @inline(__always)
    mutating func setRange(_ start: UInt16, _ end: UInt16) {
        named.insert(.range)
        (operand, lastHandle) = (start, end)
    }

    /// The requested attribute type; nil if the request contains none.
    package var type: UUID? {
        get { named.contains(.type) ? storedType : nil }
        set {
            if newValue == nil { named.remove(.type) } else { named.insert(.type) }
            storedType = newValue ?? storedType
        }
    }

    /// The service in a Find By Type Value Request; nil for other requests.
    package var value: UUID? {
        get { named.contains(.value) ? storedValue : nil }
        set {
            if newValue == nil { named.remove(.value) } else { named.insert(.value) }
            storedValue = newValue ?? storedValue
        }
    }

    private struct Named: OptionSet {
        var rawValue: UInt8
        static let type = Self(rawValue: 1 << 0)
        static let value = Self(rawValue: 1 << 1)
        static let range = Self(rawValue: 1 << 2)
        static let ambiguous = Self(rawValue: 1 << 3)
    }
}
