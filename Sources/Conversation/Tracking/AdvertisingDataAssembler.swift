package import Bluetooth
import Bytes

/// A part of advertising data (Vol 4, Part E, 7.7.65.13).
package struct AdvertisingPart: Sendable {
    /// Whether it continues the data of an earlier part: it need not begin with a structure.
    package let isContinuation: Bool
    /// What follows it.
    package let status: HCI.DataStatus
    /// Who sent the first part, in `Tracker.devices`; -1 where it is not known.
    package fileprivate(set) var sender: Int32 = -1
    /// The data of all parts, which end with this one; none where more are to come or the first one was not captured.
    package fileprivate(set) var whole = FrameMetadata.Piece.none
    /// Whether the data so far have a key.
    package fileprivate(set) var holdsKey = false

    /// Whether all of the data is known.
    package var isComplete: Bool { whole.isPresent && status == .complete }
}

/// Puts the parts of advertising data together: those of reports (Vol 4, Part E, 7.7.65.13), of commands (7.8.54) and of
/// AUX_CHAIN_INDs (Vol 6, Part B, 2.3.4.9).
struct AdvertisingDataAssembler: Sendable {
    private var begun: [Source: Begun] = [:]

    /// What has begun and not ended.
    private struct Begun {
        var data: [UInt8]
        var sender: Int32
    }

    /// What the parts of one advertisement share.
    enum Source: Hashable {
        /// An advertising set, as an adapter reports it.
        case set(adapter: UInt16, Address, HCI.AddressType, sid: UInt8, isScanResponse: Bool)
        /// A subevent of periodic advertising that an adapter receives.
        case train(adapter: UInt16, syncHandle: UInt16, subevent: UInt8)
        /// A response slot of a subevent of an adapter's own periodic advertising.
        case response(adapter: UInt16, handle: UInt8, subevent: UInt8, slot: UInt8)
        /// An advertising set whose data a command sets.
        case command(HCI.Opcode, adapter: UInt16, handle: UInt8)
        /// The next PDU of a chain, where it is to be heard.
        case chain(adapter: UInt16, LL.AdvertisingDataInfo?, LL.Channel?)
    }

    /// Advertisements in `begun`.
    static let limit = 1024
    /// The longest advertising data (Vol 6, Part B, 2.3.4.9): longer ones are cut.
    static let longestData = 1650

    /// Takes the part that a source has sent; one that does not tell whether it begins the data does if none is awaited.
    /// What follows a part comes from `next`, the same source unless told. Whole data that come in several parts go to
    /// `reassembled`. Nil for data that come in one.
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
            part.whole = FrameMetadata.Piece(place: .reassembled, start: reassembled.count, count: whole.data.count)
            reassembled += whole.data
        }
        return part
    }

    private mutating func keep(_ parts: Begun, _ source: Source) {
        if begun.count >= Self.limit { begun.removeAll() }
        begun[source] = parts
    }
}
