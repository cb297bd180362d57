import Bytes

/// An interface of a pcapng file that is written, with its name, its description and its link type.
package struct StatedInterface: Sendable, Hashable {
    package var name: String
    package var description: String
    let target: CaptureTarget

    /// - Parameter source: the encapsulation of its packets; the link type preserves the most information of them.
    package init(name: String, description: String, holding source: Encapsulation?) {
        self.name = name
        self.description = description
        target = CaptureTarget(.pcapng, holding: source)
    }

    package var linkType: LinkType { target.linkType }

    /// Whether it can hold a packet of `batch`.
    package func holds(_ packet: CapturedPacket, of batch: PacketBatch) -> Bool {
        var losses = LossCounter()
        var repackager = Repackager(to: target)
        return repackager.repack(packet, batch.bytes.span.rawBytes, &losses) != nil
    }
}
