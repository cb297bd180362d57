package import Bluetooth
import Bytes

/// A part of advertising data (Vol 4, Part E, 7.7.65.13).
package struct AdvertisingPart: Sendable {
    /// Whether it continues the data of an earlier part: it need not begin with an AD structure.
    package let isContinuation: Bool
    /// Whether more data follows.
    package let status: HCI.DataStatus
    /// Sender of the first part, in `Tracker.devices`; -1 where it is not known.
    package fileprivate(set) var sender: Int32 = -1
    /// The data of all parts, if this is the last one; none if more parts follow or the first one was not captured.
    package fileprivate(set) var whole = FrameMetadata.BufferRange.none
    /// Whether the data so far contains a key.
    package fileprivate(set) var holdsKey = false

    /// Whether the complete data is known.
    package var isComplete: Bool { whole.isPresent && status == .complete }
}

/// Assembles the parts of advertising data: those in reports (Vol 4, Part E, 7.7.65.13), in commands (7.8.54) and in
/// AUX_CHAIN_INDs (Vol 6, Part B, 2.3.4.9).
struct AdvertisingDataAssembler: Sendable {
    private var begun: [Source: Begun] = [:]

    /// Advertising data that is not complete yet.
    private struct Begun {
        var data: [UInt8]
        var sender: Int32
    }

    /// Identifies the parts of one advertisement.
    enum Source: Hashable {
        /// An advertising set, as an adapter reports it.
        case set(adapter: UInt16, Address, HCI.AddressType, sid: UInt8, isScanResponse: Bool)
        /// A subevent of periodic advertising that an adapter receives.
        case train(adapter: UInt16, syncHandle: UInt16, subevent: UInt8)
        /// A response slot of a subevent of an adapter's own periodic advertising.
        case response(adapter: UInt16, handle: UInt8, subevent: UInt8, slot: UInt8)
        /// An advertising set whose data a command sets.
        case command(HCI.Opcode, adapter: UInt16, handle: UInt8)
        /// The next PDU of a chain, by its ADI and its channel.
        case chain(adapter: UInt16, LL.AdvertisingDataInfo?, LL.Channel?)
    }

    /// Incomplete advertisements kept.
    static let limit = 1024
    /// The longest advertising data (Vol 6, Part B, 2.3.4.9): longer data is cut.
    static let longestData = 1650

    /// Adds a part from a source. Without `begins`, the part begins new data if none of the source is incomplete. The
    /// part after it comes from `next`, by default the same source. Complete data from several parts is appended to
    /// `reassembled`. Returns nil for data in one part.
    mutating func add(
        _ data: ArraySlice<UInt8>, _ status: HCI.DataStatus, of source: Source, from sender: Int32 = -1,
        begins: Bool? = nil, next: Source? = nil, to reassembled: inout [UInt8]
    ) -> AdvertisingPart? {
        if status == .complete, begun.isEmpty, begins != false { return nil }
        let former = begun.removeValue(forKey: source)
        if begins ?? (former == nil) {
            if status == .complete { return nil }
            if status == .moreToCome {
                keep(Begun(data: Array(data.prefix(Self.longestData)), sender: sender), next ?? source)
            }
            return AdvertisingPart(isContinuation: false, status: status, sender: sender)
        }
        var part = AdvertisingPart(isContinuation: true, status: status)
        guard var whole = former else { return part }
        whole.data += data.prefix(Self.longestData - whole.data.count)
        part.sender = whole.sender
        part.holdsKey = GAP.holdsKey(whole.data.span.rawBytes)
        if status == .moreToCome {
            keep(whole, next ?? source)
        } else {
            part.whole = FrameMetadata.BufferRange(
                place: .reassembled, start: reassembled.count, count: whole.data.count)
            reassembled += whole.data
        }
        return part
    }

    private mutating func keep(_ parts: Begun, _ source: Source) {
        if begun.count >= Self.limit { begun.removeAll() }
        begun[source] = parts
    }
}
