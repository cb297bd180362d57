import Bluetooth
import Bytes

/// The streams of a capture outside connections, with the state of the open ones.
struct StreamTable: Sendable {
    /// State of a stream while it is open.
    struct OpenStream: Sendable {
        var stream: AirStream
        /// Index in `listed`; -1 before the first PDU.
        fileprivate(set) var number: Int32 = -1
        fileprivate(set) var isOpen = true
        /// Initial CRC value; nil where it is not known.
        var crcInit: UInt32?
        var timing = StreamTiming()
        /// For responses: the access address of their train.
        var train: UInt32?
        /// For a train: the expected time of an AUX_CHAIN_IND.
        var chainTime: Timestamp?
        /// For a train: the last subevent captured.
        var lastSubevent: (time: Timestamp, place: StreamTiming.Place)?
        /// For isochronous data of a host: the sequence number of the last SDU in each direction.
        var sequence: (sent: UInt16?, received: UInt16?) = (nil, nil)

        /// For an encrypted isochronous stream: its keys and payload counters.
        var decryption: StreamDecryption?
        /// For such a stream: when which payload is sent, as far as it was announced.
        var payloads: PayloadSchedule?

        init(_ stream: AirStream) { self.stream = stream }
    }

    /// The numbers of a stream's payloads by time, as its announcement has them.
    struct PayloadSchedule: Sendable {
        /// Time of an event, or of an announcement soon before the first one.
        var anchor: Timestamp
        /// Number of the first payload of that event.
        var first: Int64
        var interval: TimeSpan
        /// Payloads in an event.
        var burst: Int64

        /// About the number of the payload at a time; nil before the anchor.
        func payload(at time: Timestamp) -> UInt64? {
            guard interval > .zero else { return nil }
            let elapsed: TimeSpan = time - anchor
            return UInt64(exactly: first &+ elapsed.count(of: interval) &* burst)
        }
    }

    private(set) var open: [OpenStream] = []
    private var listed: [AirStream] = []
    private var places: [ConnectionRecord.Key: Int] = [:]
    private var free: [Int] = []

    /// Open streams at one time; a new one replaces the one idle longest.
    static let openLimit = 512
    /// Streams listed; later ones are tracked but share the last entry of the list.
    static let limit = 10_000
    /// Tolerance for the time of an AUX_CHAIN_IND: an AuxPtr counts in units of 300 µs at most.
    private static let chainTolerance = TimeSpan(microseconds: 800)

    /// Every stream with a captured PDU, in its current state.
    var all: [AirStream] {
        var all = listed
        for one in open where one.isOpen && one.number >= 0 { Self.keep(one, in: &all) }
        return all
    }

    private static func keep(_ one: OpenStream, in list: inout [AirStream]) {
        guard one.number < Self.limit - 1 else {
            list[list.count - 1].packets += one.stream.packets
            return
        }
        list[Int(one.number)] = one.stream
    }

    var isEmpty: Bool { places.isEmpty }
    /// Approximate size in bytes.
    var footprint: Int {
        open.count * MemoryLayout<OpenStream>.stride + listed.count * MemoryLayout<AirStream>.stride
    }

    func index(of key: ConnectionRecord.Key) -> Int? { places.isEmpty ? nil : places[key] }
    func index(of address: LL.AccessAddress) -> Int? { index(of: .accessAddress(address.rawValue)) }

    /// Opens a stream, or returns the open one of the same key and kind.
    mutating func add(_ stream: AirStream) -> Int {
        if let known = places[stream.key] {
            if open[known].stream.kind == stream.kind { return known }
            close(known)
        }
        if places.count >= Self.openLimit,
            let idlest = places.values.min(by: { open[$0].stream.end < open[$1].stream.end })
        {
            close(idlest)
        }
        let place = free.popLast() ?? open.count
        if place < open.count { open[place] = OpenStream(stream) } else { open.append(OpenStream(stream)) }
        places[stream.key] = place
        return place
    }

    mutating func update(_ index: Int, _ change: (inout OpenStream) -> Void) { change(&open[index]) }

    mutating func close(_ index: Int) {
        guard open[index].isOpen else { return }
        open[index].isOpen = false
        places[open[index].stream.key] = nil
        if open[index].number >= 0 { Self.keep(open[index], in: &listed) }
        free.append(index)
    }

    mutating func close(_ key: ConnectionRecord.Key) {
        if let index = index(of: key) { close(index) }
    }

    /// Closes the streams for which `fits` holds.
    mutating func close(where fits: (AirStream) -> Bool) {
        for index in places.values.sorted() where fits(open[index].stream) { close(index) }
    }

    /// Counts a PDU of a stream and returns its position; a damaged PDU does not affect the timing.
    ///
    /// - Parameter auxiliary: the kind of auxiliary PDU, if the recorder states it.
    mutating func observe(
        _ index: Int, at time: Timestamp, auxiliary: LL.AdvertisingContext? = nil, isDamaged: Bool = false
    ) -> StreamPDU {
        count(index, at: time)
        var pdu = StreamPDU(
            stream: open[index].number, kind: open[index].stream.kind, index: open[index].stream.index,
            isEncrypted: open[index].stream.isEncrypted)
        var place = StreamTiming.Place()
        switch pdu.kind {
        case .train:
            pdu.isCertain = false
            pdu.context = open[index].timing.subevents.slotSpacing > .zero ? .subevent : .periodic
            let distance = open[index].chainTime.map { ($0 - time as TimeSpan).magnitude }
            if auxiliary == .chain || auxiliary == nil && distance ?? .longest <= Self.chainTolerance {
                (pdu.context, pdu.isCertain) = (.chain, true)
            }
            open[index].chainTime = nil
            if isDamaged { break }
            if pdu.context == .chain {
                place = open[index].lastSubevent?.place ?? place
                place.missed = 0
            } else {
                place = open[index].timing.place(at: time)
                pdu.isCertain = auxiliary == .periodic || place.isDue
                open[index].lastSubevent = (time, place)
            }
        case .responses:
            pdu.context = .subeventResponse
            guard let train = open[index].train.flatMap({ self.index(of: .accessAddress($0)) }),
                let subevent = open[train].lastSubevent
            else { break }
            pdu.responseSlot = open[train].timing.responseSlot(at: time, after: subevent.time)
            place = subevent.place
            place.missed = 0
        case .cis, .bis, .bigControl: if !isDamaged { place = open[index].timing.place(at: time) }
        case .isochronous: break
        }
        open[index].stream.missed += place.missed
        pdu.event = place.event.map { UInt16(truncatingIfNeeded: $0) }
        pdu.subevent = place.subevent
        if pdu.kind == .bis { pdu.payload = open[index].timing.payload(at: place) }
        return pdu
    }

    /// Counts a packet; the first packet of a stream adds it to the list.
    private mutating func count(_ index: Int, at time: Timestamp) {
        if open[index].number < 0 {
            open[index].stream.start = time
            open[index].number = Int32(min(listed.count, Self.limit - 1))
            if listed.count < Self.limit { listed.append(open[index].stream) }
        }
        open[index].stream.packets += 1
        open[index].stream.end = time
    }

    /// Counts an isochronous data packet of a host; a packet with a `sequenceNumber` begins an SDU.
    mutating func observe(
        _ index: Int, _ sequenceNumber: UInt16?, isSent: Bool, isLost: Bool, at time: Timestamp
    ) -> StreamPDU {
        count(index, at: time)
        if let sequenceNumber {
            let last = isSent ? open[index].sequence.sent : open[index].sequence.received
            let skipped = last.map { sequenceNumber &- $0 &- 1 } ?? 0
            // A number below the last one is a repetition, or the host restarts the sequence.
            if skipped < 0x8000 { open[index].stream.missed += Int(skipped) }
            if isSent {
                open[index].sequence.sent = sequenceNumber
            } else {
                open[index].sequence.received = sequenceNumber
            }
        }
        if isLost { open[index].stream.lost += 1 }
        return StreamPDU(
            stream: open[index].number, kind: open[index].stream.kind, index: open[index].stream.index,
            isEncrypted: false)
    }
}
