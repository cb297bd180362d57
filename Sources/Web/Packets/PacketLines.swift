import Bytes
import Captures
import Conversation
import Dissection
import Output

/// Packets in a line each, for those that name one.
struct PacketLines {
    private let index: CaptureIndex
    private let line = FrameLine()
    private let frame = DissectedFrame()
    private let dissector: Dissector

    init(_ index: CaptureIndex) {
        self.index = index
        dissector = Dissector(plugins: index.plugins)
    }

    /// What a packet is about; nil where there is none of the number.
    func info(ofNumber number: Int) -> String? {
        visit(number) { summary($0, $1, $2) }
    }

    /// What a packet that was visited is about.
    func summary(_ frame: DissectedFrame, _ facts: FrameMetadata, _ batch: TrackedBatch) -> String {
        var text = TextWriter(capacity: 128)
        line.writeSummary(frame, facts, of: batch, to: &text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Whether a packet has keys or passkeys.
    func hasSecrets(_ number: Int) -> Bool {
        visit(number) { frame, _, _ in !line.secrets(of: frame).isEmpty } ?? false
    }

    /// Looks at a packet.
    func visit<Result>(
        _ number: Int, _ look: (DissectedFrame, FrameMetadata, TrackedBatch) -> Result
    ) -> Result? {
        guard let (window, place) = try? index.packet(number: number) else { return nil }
        let facts = window.batch.facts[place]
        dissector.dissect(facts, of: window.batch, into: frame)
        return look(frame, facts, window.batch)
    }
}
