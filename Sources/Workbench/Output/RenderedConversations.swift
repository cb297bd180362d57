import Bytes
import Captures
import Dissection

/// Remembers how connections and peers were written in one batch, in which their names stay the same.
struct RenderedConversations: ~Copyable {
    private var entries: [Entry] = []
    private var texts = TextWriter()
    /// The batch, by the number of its first frame.
    private var batch = -1

    /// A batch rarely has more; further ones are written anew each time.
    private static let limit = 32

    private struct Entry {
        let connection: Int32
        let sender: Int32
        let receiver: Int32
        let isSent: Bool
        let text: Range<Int>
    }

    /// Writes what was written before for a frame of the same conversation; false when there was none.
    mutating func write(_ facts: FrameFacts, _ batch: borrowing TrackedBatch, to output: inout TextWriter) -> Bool {
        let first = batch.facts[0].packet.number
        if self.batch != first {
            self.batch = first
            entries.removeAll(keepingCapacity: true)
            texts.truncate(to: 0)
        }
        for entry in entries
        where entry.connection == facts.connection && entry.sender == facts.sender && entry.receiver == facts.receiver
            && entry.isSent == (facts.direction == .sent)
        {
            output.write(texts, entry.text)
            return true
        }
        return false
    }

    /// Remembers that a frame's conversation was written as what `output` holds since `start`.
    mutating func keep(_ facts: FrameFacts, _ output: borrowing TextWriter, from start: Int) {
        guard entries.count < Self.limit else { return }
        let first = texts.count
        output.copy(from: start, to: &texts)
        entries.append(
            Entry(
                connection: facts.connection, sender: facts.sender, receiver: facts.receiver,
                isSent: facts.direction == .sent, text: first..<texts.count))
    }
}
