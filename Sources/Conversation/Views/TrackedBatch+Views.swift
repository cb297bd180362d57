import Captures

extension TrackedBatch {
    /// Reads the links of `merge` from the packets' comments.
    mutating func readLinks() {
        for index in metadata.indices where metadata[index].packet.comment >= 0 {
            let links = packets.comments(of: metadata[index].packet).compactMap { ViewLink(comment: $0) }
            if links.isEmpty { continue }
            reassembly.views[metadata[index].packet.number] = links
            metadata[index].notes.insert(.merged)
            if links.contains(where: \.isSecondView) { metadata[index].notes.insert(.secondView) }
        }
    }

    /// What other captures show of the PDU that ends with a frame.
    package func views(of metadata: borrowing FrameMetadata) -> [ViewLink] {
        metadata.notes.contains(.merged) ? reassembly.views[metadata.packet.number] ?? [] : []
    }
}
