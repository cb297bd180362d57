import PluginKit

/// Where batches go.
protocol Destination: Sendable {
    /// A batch as it is sent.
    associatedtype Message: Sendable

    /// Names the position in the store: `firestore:project/(default)`.
    var name: String { get }
    /// What is removed from reasons before they are printed.
    var secrets: Secrets { get }
    /// The shortest time from one batch to the next while there is no backlog.
    var interval: Duration { get }
    /// What the destination has confirmed in this time before a connection was lost is sent again.
    var doubtTime: Duration { get }

    /// Nil where the batch has to be smaller.
    func encode(_ batch: PublishedBatch, of publication: Publication) -> Message?
    /// Returns when the destination has confirmed the whole batch: paths of exclusive documents that another publisher has
    /// written too. A batch that is sent twice has its effect once, or has messages twice that name the same row.
    func send(_ message: Message) async throws(DeliveryFailure) -> [String]
    /// Keeps a connection alive, or finds out that it is lost, while nothing is sent.
    func rest() async throws(DeliveryFailure)
    /// Ends connections.
    func close() async
}

/// Why a batch was not confirmed.
struct DeliveryFailure: Error {
    var reason: String
    /// Whether no further attempt can help: the batch itself is refused.
    var isPermanent = false
    /// Whether a connection was lost that had been made.
    var isConnectionLost = false
    /// How long the destination wants to be left alone; nil where it does not say.
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

/// Waits of 1 s, 2 s, 4 s and so on to 5 min, each up to a fifth more or less, by the monotonic clock.
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
