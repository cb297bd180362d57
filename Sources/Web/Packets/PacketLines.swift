import Bytes
import Captures
import Conversation
import Dissection
import Output

/// One-line summaries of packets, for views that refer to them.
struct PacketLines {
    private let index: CaptureIndex
    private let line = FrameLine()
    private let frame = DissectedFrame()
    private let dissector: Dissector

    init(_ index: CaptureIndex) {
        self.index = index
        dissector = Dissector(plugins: index.plugins)
    }

    /// Summary of a packet; nil if there is none with this number.
    func info(ofNumber number: Int) -> String? {
        visit(number) { summary($0, $1, $2) }
    }

    func summary(_ frame: DissectedFrame, _ metadata: FrameMetadata, _ batch: TrackedBatch) -> String {
        var text = TextWriter(capacity: 128)
        line.writeSummary(frame, metadata, of: batch, to: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Whether a packet contains keys or passkeys.
    func hasSecrets(_ number: Int) -> Bool {
        visit(number) { frame, _, _ in !line.secrets(of: frame).isEmpty } ?? false
    }

    /// Dissects a packet and passes it to `look`.
    func visit<Result>(
        _ number: Int, _ look: (DissectedFrame, FrameMetadata, TrackedBatch) -> Result
    ) -> Result? {
        guard let (window, place) = try? index.packet(number: number) else { return nil }
        let metadata = window.batch.metadata[place]
        dissector.dissect(metadata, of: window.batch, into: frame)
        return look(frame, metadata, window.batch)
    }
}
