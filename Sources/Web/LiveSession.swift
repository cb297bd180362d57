import Bytes
import Captures
import FoundationEssentials
import Transports
import Workbench

/// Shows a live capture: it is recorded to a file, which is read while it grows.
enum LiveSession {
    /// Begins a capture; it ends when its tab is closed, and with the session.
    static func start(_ capture: any LiveCapture, in session: WebSession, report: @escaping @Sendable (String) -> Void)
        throws
    {
        let source = try session.makeLiveSource()
        var options = LiveOptions()
        // Packets are in the file at once: somebody reads along.
        options.recording = RecordingOptions(path: source.path, format: source.format, isForReader: true)
        let name = capture.name
        let feed = try LiveFeed(
            capture, options, isInterrupted: { session.isOver || source.isClosed }, report: report)
        try session.add(name: name, live: source)
        let box = FeedBox(feed: feed)
        Task {
            defer { source.end() }
            do {
                // What the feed hands out is read from the file.
                while try await box.feed.next() != nil {}
                _ = try await box.feed.end()
            } catch {
                report("\(name): \(error)")
            }
        }
    }

    /// The task that reads the feed owns it.
    private struct FeedBox: @unchecked Sendable {
        let feed: LiveFeed
    }
}
