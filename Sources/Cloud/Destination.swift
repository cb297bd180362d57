import PluginKit

/// A destination of batches.
protocol Destination: Sendable {
    /// An encoded batch.
    associatedtype Message: Sendable

    /// Name of the position in the store: `firestore:project/(default)`.
    var name: String { get }
    /// Secrets to redact from failure reasons before they are printed.
    var secrets: Secrets { get }
    /// Minimum time between batches while there is no backlog.
    var interval: Duration { get }
    /// The time before a lost connection within which confirmed batches are sent again.
    var doubtTime: Duration { get }

    /// Encodes a batch; nil if the batch is too large.
    func encode(_ batch: PublishedBatch, of publication: Publication) -> Message?
    /// Sends a batch and waits until the destination has confirmed all of it. Returns the paths of exclusive documents
    /// that another publisher has written, too. A batch sent twice takes effect once, or results in duplicate messages
    /// that name the same row.
    func send(_ message: Message) async throws(DeliveryFailure) -> [String]
    /// Keeps an idle connection alive, or detects that it is lost.
    func rest() async throws(DeliveryFailure)
    func close() async
}

/// The reason why a batch was not confirmed.
struct DeliveryFailure: Error {
    var reason: String
    /// Whether the failure is permanent: the destination rejects the batch itself.
    var isPermanent = false
    /// Whether an established connection was lost.
    var isConnectionLost = false
    /// The delay requested by the destination; nil for none.
    var retryAfter: Duration?

    init(
        _ reason: String, isPermanent: Bool = false, isConnectionLost: Bool = false, retryAfter: Duration? = nil
    ) {
        self.reason = reason
        self.isPermanent = isPermanent
        self.isConnectionLost = isConnectionLost
        self.retryAfter = retryAfter
    }
}

/// Exponential delays of 1 s, 2 s, 4 s and so on up to 5 min, with a jitter of up to a fifth, on the monotonic clock.
struct RetryDelay {
    private var seconds = 1.0

    private static let longest = 300.0
    private static let jitter = 0.8...1.2

    mutating func next() -> Duration {
        defer { seconds = min(seconds * 2, Self.longest) }
        return .seconds(seconds * Double.random(in: Self.jitter))
    }

    mutating func reset() { seconds = 1 }
}
