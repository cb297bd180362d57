import Captures
import Conversation
import Dissection

/// Tracks the connections of a whole capture, and optionally counts its contents.
///
/// Both are stages that process the batches in the capture's order.
final class CaptureTracker: @unchecked Sendable {
    private(set) var tracker: Tracker
    /// Learns which plugin describes each device.
    private(set) var application: ApplicationTracker
    /// Counts of the capture's contents, if requested.
    private(set) var statistics: CaptureStatistics?
    /// Responses to the requests up to the last frame to print, if requested.
    private(set) var responses: ResponseIndex?
    private let lastFrame: Int

    init(
        _ tracker: Tracker, _ application: ApplicationTracker, counting statistics: CaptureStatistics? = nil,
        indexing responses: ResponseIndex? = nil, upTo lastFrame: Int = .max
    ) {
        self.responses = responses
        self.lastFrame = lastFrame
        self.tracker = tracker
        self.application = application
        self.statistics = statistics
    }

    /// Tracks all batches of `reader`; `goesOn` is called after every batch read, with the number of frames so far.
    func follow(_ reader: any PacketSource, goesOn: (Int) -> Bool) async throws {
        var stages: [BatchStages.Stage] = [{ [self] in follow(&$0) }]
        if statistics != nil { stages.append { [self] in statistics?.count($0) } }
        try await BatchStages(stages).run(reader, goesOn: goesOn)
        tracker.finish()
        responses?.finish()
        statistics?.end(tracker.takeEnded())
    }

    private func follow(_ batch: inout TrackedBatch) {
        tracker.track(&batch)
        responses?.add(batch, upTo: lastFrame)
        if application.learnsFromValues { application.learn(from: &batch, tracker.knowledge) }
    }
}
