import Captures
import Dissection

/// Follows the conversations of a whole capture on two threads: one reads and takes down what each frame tells by
/// itself, the other follows the frames in between. That divides the work about evenly.
struct ConversationFollower {
    var tracker: Tracker
    /// It learns which plugins describe whom.
    var application: ApplicationTracker

    /// Goes through all that `reader` gives. `take` gets every batch when it was followed, in order, on the thread that
    /// reads; `goesOn` is asked after every batch that was read, with the number of frames so far.
    mutating func follow(
        _ reader: any PacketSource, take: (borrowing TrackedBatch) -> Void = { _ in }, goesOn: (Int) -> Bool
    ) async throws {
        let conversations = Conversations(tracker, application)
        try await BatchStages([{ conversations.follow(&$0) }]).run(reader, take: take, goesOn: goesOn)
        (tracker, application) = conversations.state
    }

    /// What follows the batches: a stage, which has them one after the other.
    private final class Conversations: @unchecked Sendable {
        private var tracker: Tracker
        private var application: ApplicationTracker

        /// What has been followed so far.
        var state: (Tracker, ApplicationTracker) { (tracker, application) }

        init(_ tracker: Tracker, _ application: ApplicationTracker) {
            self.tracker = tracker
            self.application = application
        }

        func follow(_ batch: inout TrackedBatch) {
            tracker.track(&batch)
            if application.learnsFromValues { application.learn(from: &batch, tracker.knowledge) }
        }
    }
}
