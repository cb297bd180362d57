package import Bytes
import Captures

/// What another capture of the same time shows of a PDU: a comment of a packet that `merge` writes.
///
/// For example `gattbench: heard in frame 1240, 3.215 ms later, 2 times, acknowledged, completed after 12.400 ms`,
/// `gattbench: second view: sent in frame 1234, 3.215 ms earlier` or `gattbench: sent only`.
package struct ViewLink: Sendable, Hashable {
    /// How a capture shows a PDU.
    package enum Sight: String, Sendable, CaseIterable {
        /// On the air.
        case heard
        /// In the log of the host that sent it, or of the one that received it.
        case sent, received
    }

    /// How the other capture shows the PDU; without one, how this capture does.
    package var sight: Sight
    /// Number of the other capture's frame; nil if only this capture has the PDU.
    package var frame: Int?
    /// Time from this frame to the other one.
    package var delay = TimeSpan.zero
    /// How often the PDU was heard on the air.
    package var transmissions = 1
    /// Whether the peer acknowledged it on the air.
    package var isAcknowledged = false
    /// Time from the host's packet to the controller's report that it has sent or discarded it.
    package var completion: TimeSpan?
    /// Whether another capture's view of the connection is the better evidence: what is read from PDUs, is read there.
    package var isSecondView = false

    /// What all comments of `merge` begin with.
    package static let prefix = "gattbench: "
    private static let secondView = "second view: "
    /// The longest comment that is read.
    private static let lengthLimit = 200

    package init(_ sight: Sight, frame: Int? = nil, isSecondView: Bool = false) {
        self.sight = sight
        self.frame = frame
        self.isSecondView = isSecondView
    }
}

extension ViewLink {
    /// The link in words, without what says that it is a comment of `merge`.
    package var words: String {
        var parts: [String]
        if let frame {
            let direction = delay < .zero ? "earlier" : "later"
            parts = ["\(sight.rawValue) in frame \(frame)", "\(Self.text(delay.magnitude)) \(direction)"]
            if transmissions > 1 { parts.append("\(transmissions) times") }
            if isAcknowledged { parts.append("acknowledged") }
        } else {
            parts = ["\(sight.rawValue) only"]
        }
        if let completion { parts.append("completed after \(Self.text(completion))") }
        return parts.joined(separator: ", ")
    }

    /// The comment.
    package var comment: String { Self.prefix + (isSecondView ? Self.secondView : "") + words }

    private static func text(_ span: TimeSpan) -> String { "\((Double(span.nanoseconds) / 1e6).text(fixed: 3)) ms" }

    /// Reads a comment; nil for those of others.
    package init?(comment: String) {
        guard comment.utf8.count <= Self.lengthLimit, comment.hasPrefix(Self.prefix) else { return nil }
        var text = comment.dropFirst(Self.prefix.count)
        isSecondView = text.hasPrefix(Self.secondView)
        if isSecondView { text = text.dropFirst(Self.secondView.count) }
        var parts = text.split(separator: ",").map { $0.split(separator: " ").map(String.init) }[...]
        guard let first = parts.popFirst(), let sight = first.first.flatMap({ Sight(rawValue: $0) }) else { return nil }
        self.sight = sight
        if first.count == 4, first[1] == "in", first[2] == "frame" {
            guard let frame = Int(first[3]), frame > 0, let delay = parts.popFirst(), delay.count == 3,
                let span = Self.span(delay[0], delay[1]), ["earlier", "later"].contains(delay[2])
            else { return nil }
            self.frame = frame
            self.delay = delay[2] == "earlier" ? -span : span
        } else {
            guard first.count == 2, first[1] == "only" else { return nil }
        }
        for part in parts {
            switch (part.count, part.first, part.last) {
            case (1, "acknowledged"?, _): isAcknowledged = true
            case (2, let count?, "times"?):
                guard let count = Int(count), count > 0 else { return nil }
                transmissions = count
            case (4, "completed"?, _):
                guard part[1] == "after", let span = Self.span(part[2], part[3]) else { return nil }
                completion = span
            default: return nil
            }
        }
    }

    private static func span(_ number: String, _ unit: String) -> TimeSpan? {
        guard unit == "ms", let milliseconds = Double(number), milliseconds.isFinite, milliseconds >= 0 else {
            return nil
        }
        return TimeSpan(clamping: milliseconds / 1000)
    }
}

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
