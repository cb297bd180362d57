import Bytes
import Captures
import Conversation
import Dissection
import Output
import PDUTestKit
import TestKit
import Testing
import Workbench

/// The NDJSON writer's cache does not change its output: a writer that has processed a capture before writes every
/// frame like a new writer.
@Test(arguments: [false, true])
func rememberingChangesNothing(showsTree: Bool) throws {
    let plugins = try PluginLibrary.builtIn().plugins
    let printer = NDJSONPrinter(showsDeviceTrees: showsTree)
    let dissector = Dissector(scope: printer.scope, plugins: plugins)
    var frames = 0
    for capture in Repository.captures(in: "captures") {
        let experienced = printer.makeWriter()
        // A frame caches data of one capture.
        let frame = DissectedFrame()
        for _ in 1...3 {
            guard let reader = try? CaptureReader(path: Repository.path(capture)) else { continue }
            var tracker = Tracker(plugins: plugins)
            var application = ApplicationTracker(plugins)
            while let packets = try? reader.next() {
                var batch = tracker.track(packets)
                tracker.name(&batch)
                application.follow(&batch, tracker.devices)
                for metadata in batch.metadata {
                    var one = TextWriter()
                    var other = TextWriter()
                    dissector.dissect(metadata, of: batch, into: frame)
                    experienced.write(frame, metadata, of: batch, to: &one)
                    printer.makeWriter().write(frame, metadata, of: batch, to: &other)
                    #expect(one.bytes == other.bytes, "\(capture), frame \(metadata.packet.number)")
                    frames += 1
                }
            }
        }
    }
    #expect(frames > 3000)
}
