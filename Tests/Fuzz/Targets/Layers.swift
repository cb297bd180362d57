import Bytes
import Captures
import Conversation
import Dissection

/// Extracts the protocol layers of a capture's frames.
enum Layers {
    /// The bytes of every group of fields with this name.
    static func bytes(of name: String, in capture: [UInt8]) -> [[UInt8]] {
        guard let reader = try? CaptureReader(source: ByteSource(bytes: capture, name: "capture")) else { return [] }
        var tracker = Tracker()
        let dissector = Dissector()
        let frame = DissectedFrame()
        var found: [[UInt8]] = []
        while let packets = try? reader.next() {
            let batch = tracker.track(packets)
            for metadata in batch.metadata {
                dissector.dissect(metadata, of: batch, into: frame)
                for recorded in frame.recorder.fields where recorded.field.name == name && recorded.length > 0 {
                    found.append(Array(batch.bytes(of: recorded, in: metadata)))
                }
            }
        }
        return found
    }
}
