import Captures
import Conversation
import Dissection

/// Tracks the connections of a whole capture, and optionally counts its contents.
///
/// Both are stages, each of which has the batches one after the other, in the capture's order.
final class CaptureTracker: @unchecked Sendable {
    private(set) var tracker: Tracker
    /// It learns which plugins describe whom.
    private(set) var application: ApplicationTracker
    /// What is in the capture, if that is counted.
    private(set) var statistics: CaptureStatistics?
    /// The responses to the requests up to a frame, if they are wanted.
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

    /// Goes through all that `reader` gives; `goesOn` is asked after every batch that was read, with the number of frames
    /// so far.
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
