import Bluetooth
import Bytes

/// Classification of a packet on the air.
enum AirTraffic {
    /// Primary and auxiliary advertising, distinguished by the channel and the PDU's type.
    case advertising
    /// A connection that is open.
    case connection(OpenConnection.Index)
    /// Another stream, by its index in the stream table.
    case stream(Int)
    /// The first packet that proves a connection whose beginning was not captured.
    case beginsConnection
    /// The first packet of a stream known only from the recorder's flags.
    case beginsStream(AirStream.Kind)
    /// The access address is damaged: it belongs to no connection or stream.
    case damaged
    /// Too few packets of the access address were captured.
    case unproven
}

/// Classifies packets with access addresses that no PDU has announced.
///
/// A connection whose beginning was not captured needs proof: the recorder marks it as one; a payload parses as an
/// L2CAP PDU or its first fragment; two different PDUs have CRCs that start from the same value; or several consecutive
/// PDUs have a good CRC, or no recorded CRC.
struct StreamClassifier: Sendable {
    private var candidates: [UInt32: Candidate] = [:]

    /// State of an access address without proof so far.
    private struct Candidate {
        var count = 0
        var last: Timestamp
        var crcInit: UInt32?
        /// Hash of the last PDU, header included.
        var hash: UInt64
    }

    var candidateCount: Int { candidates.count }

    /// Access addresses in `candidates`; a new one replaces the one idle longest.
    static let limit = 256
    /// Consecutive PDUs with a good CRC, and without any CRC, that prove a connection.
    private static let (goodPDUs, pdusWithoutCRC) = (3, 4)
    /// The longest time between two consecutive PDUs: the longest connection interval.
    private static let longestPause = TimeSpan(seconds: 4)

    /// Classifies a packet of an unknown access address; `frame` holds it from its first byte.
    mutating func traffic(
        of packet: LinkLayerPacket, in frame: Span<UInt8>, at time: Timestamp, isCut: Bool = false
    ) -> AirTraffic {
        let address = packet.header.accessAddress
        let capture = packet.capture
        guard address.distance(to: .advertising) > 1, capture.crc != .invalid else { return .damaged }
        switch capture.traffic {
        case .advertising: return .beginsStream(.train)
        case .connectedIsochronous: return .beginsStream(.cis)
        case .broadcastIsochronous: return .beginsStream(.bis)
        case .data, .unspecified: break
        }
        // Only advertising uses the primary channels (Vol 6, Part B, 1.4.1).
        guard address.isValidForConnection, capture.channel?.isPrimary != true else { return .damaged }
        if capture.traffic == .data { return .beginsConnection }
        let pdu = frame.rawBytes.extracting(packet.header.pdu)
        let crcInit = packet.header.crc.flatMap { $0 == 0 ? nil : LL.crcInit(of: pdu, crc: $0) }
        if crcInit == LL.advertisingCRCInit { return .damaged }
        let isWhole = packet.header.payload.count == packet.header.length
        let isProven = (isWhole || isCut) && proves(packet, frame, pdu, crcInit, at: time)
        if isProven { candidates[address.rawValue] = nil }
        return isProven ? .beginsConnection : .unproven
    }

    private mutating func proves(
        _ packet: LinkLayerPacket, _ frame: Span<UInt8>, _ pdu: RawSpan, _ crcInit: UInt32?, at time: Timestamp
    ) -> Bool {
        let header = LL.DataHeader(bits: packet.header.header)
        let payload = packet.header.payload.dropFirst(header.hasCTEInfo ? 1 : 0)
        // In a data PDU, LLID 0 and the two top bits are reserved (Vol 6, Part B, 2.4).
        guard header.llid.rawValue != 0, header.bits & 0xC0 == 0 else { return false }
        if header.llid == .start, EncryptionInference.isL2CAP(frame.extracting(payload), header) { return true }
        let hash = pdu.hash
        let key = packet.header.accessAddress.rawValue
        var candidate = candidates[key] ?? Candidate(last: time, crcInit: crcInit, hash: hash)
        let pause: TimeSpan = time - candidate.last
        let isAnother = candidate.count > 0 && candidate.hash != hash
        if let crcInit, candidate.crcInit == crcInit, isAnother { return true }
        // The CRCs of one connection start from one value.
        let isContinued = candidate.crcInit == crcInit && (.zero...Self.longestPause).contains(pause)
        candidate = Candidate(
            count: isContinued ? candidate.count + 1 : 1, last: time, crcInit: crcInit, hash: hash)
        if packet.capture.crc == .valid, candidate.count >= Self.goodPDUs { return true }
        if crcInit == nil, candidate.count >= Self.pdusWithoutCRC { return true }
        if candidates[key] == nil, candidates.count >= Self.limit,
            let idlest = candidates.min(by: { $0.value.last < $1.value.last })
        {
            candidates[idlest.key] = nil
        }
        candidates[key] = candidate
        return false
    }
}
