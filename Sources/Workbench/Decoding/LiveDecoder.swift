package import Bytes
package import Captures
import Conversation
import Dissection
import Output

/// Decodes live packets one at a time; names come from earlier packets only.
package final class LiveDecoder {
    private let dissector: Dissector
    private let filter: DisplayFilter?
    private let writer: any FrameWriter
    private var tracker: Tracker
    private var application: ApplicationTracker
    private var batch = TrackedBatch()
    private let frame = DissectedFrame()
    private var text = TextWriter(capacity: 4096)
    private var count = 0

    /// Throws `UnknownField` or `FilterError`.
    package init(_ options: DecodeOptions) throws {
        let job = try DecodeJob(options)
        filter = job.filter
        writer = job.printer.makeWriter()
        dissector = Dissector(scope: job.scope, plugins: options.plugins)
        tracker = Tracker(imported: options.tables, plugins: options.plugins, keys: options.keys)
        application = ApplicationTracker(options.plugins, guesses: options.guesses)
    }

    /// The text of a packet that begins with its H4 packet indicator; nil if the filter rejects it.
    package func decode(
        h4 packet: [UInt8], direction: Direction, adapter: UInt16 = 0, time: Timestamp
    ) -> String? {
        count += 1
        let captured = CapturedPacket(
            number: count, time: time, encapsulation: .h4, direction: direction, adapter: adapter,
            originalLength: packet.count, start: 0, count: packet.count)
        batch.fill(PacketBatch(bytes: packet, packets: [captured]))
        tracker.track(&batch)
        tracker.name(&batch)
        if dissector.scope.contains(.ends) { batch.takeRoles(tracker) }
        application.follow(&batch, tracker.devices)
        defer { _ = batch.empty() }
        for metadata in batch.metadata {
            dissector.dissect(metadata, of: batch, into: frame)
            if let filter, !batch.matches(filter, frame, metadata) { return nil }
            writer.write(frame, metadata, of: batch, to: &text)
        }
        defer { text.truncate(to: 0) }
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
