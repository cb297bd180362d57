import Bytes
import Captures
import FoundationEssentials
import Transports
import Workbench

/// Shows a live capture, recorded to a file that is read while it grows.
enum LiveSession {
    /// Starts a capture, which ends when its tab is closed or the session ends.
    static func start(_ capture: any LiveCapture, in session: WebSession, report: @escaping @Sendable (String) -> Void)
        throws
    {
        let source = try session.makeLiveSource()
        var options = LiveOptions()
        // Packets are flushed at once, because the file is read meanwhile.
        options.recording = RecordingOptions(path: source.path, format: source.format, isForReader: true)
        let name = capture.name
        let feed = try LiveFeed(
            capture, options, isInterrupted: { session.isOver || source.isClosed }, report: report)
        try session.add(name: name, live: source)
        let box = FeedBox(feed: feed)
        Task {
            defer { source.end() }
            do {
                // The packets are read from the file, so the feed's output is discarded.
                while try await box.feed.next() != nil {}
                _ = try await box.feed.end()
            } catch {
                report("\(name): \(error)")
            }
        }
    }

    /// Owned by the task that reads the feed.
    private struct FeedBox: @unchecked Sendable {
        let feed: LiveFeed
    }
}
