import Bytes
import Captures
import Conversation

/// Caches rendered texts within a batch, where names do not change: endpoints of a connection, names of attributes.
struct BatchRenderCache<Key: Equatable>: ~Copyable {
    private var entries: [(key: Key, text: Range<Int>)] = []
    private var texts = TextWriter()
    /// The batch, identified by its first frame number.
    private var batch = -1

    /// Maximum number of entries. A batch rarely has more; further ones are rendered each time.
    private static var limit: Int { 32 }

    /// Writes the cached text of a key; returns false if there is none.
    mutating func write(_ key: Key, _ batch: borrowing TrackedBatch, to output: inout TextWriter) -> Bool {
        let first = batch.metadata[0].packet.number
        if self.batch != first {
            self.batch = first
            entries.removeAll(keepingCapacity: true)
            texts.truncate(to: 0)
        }
        for entry in entries where entry.key == key {
            output.write(texts, entry.text)
            return true
        }
        return false
    }

    /// Caches the output since `start` as the text of a key.
    mutating func keep(_ key: Key, _ output: borrowing TextWriter, from start: Int) {
        guard entries.count < Self.limit else { return }
        let first = texts.count
        output.copy(from: start, to: &texts)
        entries.append((key, first..<texts.count))
    }
}

/// Writes times as ISO 8601 and caches the text of the last second, which many frames share.
struct TimeRenderCache: ~Copyable {
    /// Since 1970.
    private var second = Int64.min
    private var text = TextWriter(capacity: 32)

    mutating func write(_ time: Timestamp, to output: inout TextWriter) {
        let (second, nanosecond) = time.secondAndNanosecond
        if second != self.second {
            self.second = second
            text.truncate(to: 0)
            text.writeISO8601(second: second)
        }
        output.write(text, 0..<text.count)
        output.writeFraction(ofSecond: nanosecond, decimals: 6)
        output.write(UInt8(ascii: "Z"))
    }
}
