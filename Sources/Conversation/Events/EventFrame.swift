package import Bluetooth
import Bytes
package import Captures
package import PluginKit
package import Profile

/// The frame of an event in its batch, for rules of the specification. One instance serves all events of a capture.
package final class EventFrame {
    package internal(set) var metadata: FrameMetadata
    /// Violations of the rules for credit-based channels by the frame.
    package internal(set) var channelFaults: [L2CAP.ChannelFault] = []
    /// The batch of the frame; empty between batches.
    package private(set) var view = BatchView(TrackedBatch())
    /// Whether any connection has had a gap so far.
    package internal(set) var followsLoss = false
    /// The plugins of the run, which name attribute types.
    package var plugins = PluginSet.none
    /// Attributes looked up in this batch, by table version and handle.
    private var attributes = RecentValues<ResolvedAttribute?>(places: 256)

    init() {
        let nothing = CapturedPacket(
            number: 0, time: .epoch, encapsulation: .h4, originalLength: 0, start: 0, count: 0)
        metadata = FrameMetadata(packet: nothing, in: RawSpan())
    }

    /// The table version of the server that the ATT PDU concerns.
    package var tableVersion: TableVersion { metadata.att.tableVersion }
    /// The table of that server; nil where it is not known.
    package var server: AttributeTableStore.Version? { view.batch.tableVersions[tableVersion] }

    func begin(_ metadata: FrameMetadata) {
        self.metadata = metadata
        if !channelFaults.isEmpty { channelFaults = [] }
    }

    func begin(_ batch: borrowing TrackedBatch) {
        view = BatchView(copy batch)
        attributes.removeAll()
    }

    /// The request or the indication that the PDU answers; nil if it answers none, or if the request was not captured.
    package var request: RequestFacts? { view.request(of: metadata) }

    /// The outcome of the write in the ATT PDU; nil for other PDUs.
    package var outcome: WriteOutcome? { view.outcome(of: metadata) }

    /// The attribute at a handle of the server that the frame concerns; nil where its table does not describe it.
    fileprivate func attribute(at handle: Handle) -> ResolvedAttribute? {
        let key = UInt64(UInt32(bitPattern: tableVersion.index)) << 16 | UInt64(handle.rawValue)
        if let known = attributes[key] { return known }
        let known = server.flatMap { ResolvedAttribute(at: handle, in: $0) }
        attributes[key] = .some(known)
        return known
    }
}

/// A reference to a batch whose frames are read in order, which shares it without a copy.
package final class BatchView {
    package let batch: TrackedBatch
    /// Index of the first of the batch's `applications` that was not requested yet.
    private var nextApplication = 0

    init(_ batch: TrackedBatch) {
        self.batch = batch
    }

    /// The complete attribute value that ends with a frame; nil if the frame has none or only a part.
    package func value(of metadata: borrowing FrameMetadata) -> FrameMetadata.BufferRange? {
        batch.value(of: metadata)
    }

    package func bytes(of piece: FrameMetadata.BufferRange) -> ArraySlice<UInt8> { batch.bytes(of: piece) }

    func request(of metadata: borrowing FrameMetadata) -> RequestFacts? { batch.request(of: metadata) }
    func outcome(of metadata: borrowing FrameMetadata) -> WriteOutcome? { batch.outcome(of: metadata) }

    /// The application tracking results for a value; nil if there are none. Values must be requested in order.
    package func application(of number: ApplicationFacts.ValueNumber) -> ApplicationFacts? {
        batch.applications.metadata(of: number, from: &nextApplication)
    }
}

extension Event {
    /// The frame of the event; an empty one for an event that no reader made.
    package var frame: EventFrame { source as? EventFrame ?? EventFrame() }

    /// The request or the indication that the PDU answers; nil if it answers none, or if the request was not captured.
    package var request: RequestFacts? { frame.request }

    /// The outcome of the write in the ATT PDU; nil for other PDUs.
    package var outcome: WriteOutcome? { frame.outcome }

    /// The attribute value in the ATT PDU; nil for PDUs without one.
    package var attributeValue: ValueBytes? {
        guard case .att(let att) = content, let offset = ATT.Opcode.table.shape(of: att.opcode)?.valueOffset,
            payload.count >= offset
        else { return nil }
        return ValueBytes(payload.dropFirst(offset))
    }

    /// The attribute that the ATT PDU concerns, as far as its server's table is known.
    package var attribute: ResolvedAttribute? {
        guard case .att(let att) = content, att.handle.rawValue != 0 else { return nil }
        return frame.attribute(at: att.handle)
    }

    /// The characteristic whose value the ATT PDU concerns, as far as its server's table is known.
    package var characteristic: ResolvedCharacteristic? { attribute?.characteristic }
}

extension ATTTraffic {
    /// The ATT PDU that ends with a frame; nil if there is none or it is empty.
    init?(_ metadata: borrowing FrameMetadata) {
        guard let attribute = metadata.attribute else { return nil }
        self.init(
            opcode: attribute.opcode, handle: attribute.handle,
            isOverlapping: metadata.notes.contains(.overlapping), isUnasked: metadata.notes.contains(.unasked),
            bearer: metadata.bearer)
    }

    /// The direction in which the server sends.
    package func server(_ event: Event) -> Direction {
        switch kind {
        case .response, .notification, .indication: event.direction
        case .request, .command, .confirmation, nil: event.direction.opposite
        }
    }
}
