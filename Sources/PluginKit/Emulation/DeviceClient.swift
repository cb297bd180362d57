public import Bytes

/// The behaviour of a device's client, for example an app, as pure logic: a reference for client developers, and the
/// peer of a twin in demonstrations and tests.
///
/// The client knows characteristics by their names in the profile. Its owner runs a Bluetooth host that scans,
/// connects, discovers the server's attributes and makes one request at a time.
public protocol DeviceClient: Sendable {
    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction]

    /// Selects the dialect that the device was recognized to speak. Called before `ClientInput.connected`, unless the
    /// user has named the dialect; the tasks received before apply to it.
    mutating func select(dialect: String)

    /// The time at which the client expects `.time`; nil if it waits for no time.
    var deadline: Timestamp? { get }
}

extension DeviceClient {
    /// Ignores the dialect: the behaviour of a client for a profile without dialects.
    public mutating func select(dialect: String) {}
}

/// An input of a client.
public enum ClientInput: Hashable, Sendable {
    /// The client is connected and has discovered the server's attributes. `capacity` is the maximum length of a value
    /// in a notification, in bytes.
    ///
    /// It comes again within the connection when the attributes have changed and were discovered anew: the subscriptions
    /// are lost, outstanding requests are dropped without an outcome, and the client begins anew.
    case connected(capacity: Int)
    case disconnected
    /// A read ended.
    case read(String, Result<[UInt8], ClientFault>)
    /// A write or a subscription ended; nil means success.
    case written(String, ClientFault?)
    /// The server notified or indicated a value.
    case notified(String, [UInt8])
    /// The result of a commit: the changes are on disk, with the number of new rows, or the write failed.
    case committed(Result<Int, StoreFault>)
    /// A task from the user: `sync`, `calibrate`.
    case task(Stimulus)
    case time
}

/// An action of a client. Requests are made one at a time, in order.
public enum ClientAction: Hashable, Sendable {
    /// Searches for the device for 30 s and connects to it.
    case connect
    /// Searches for the device for the given time and connects to it.
    case search(Duration)
    /// Leaves a connection request with the phone's system, as an app in the background does. The request lasts until
    /// the system completes it or the client disconnects.
    case requestConnection(SystemSearch)
    case disconnect
    case read(String)
    case write(String, [UInt8])
    case writeCommand(String, [UInt8])
    /// Subscribes to notifications or indications, whichever the characteristic supports, or unsubscribes.
    case subscribe(String, Bool)
    /// Changes rows of the store. `ClientInput.committed` follows when they are on disk, before any later response from
    /// the device; without a store, it follows at once. Later actions do not wait for it.
    ///
    /// Clients that run until they are stopped may receive it after later responses, in commit order: simultaneous
    /// commits are combined, and the first of them receives the number of new rows of all.
    case commit([StoreChange])
    case event(TwinNote)
}

/// How a phone's system looks for a device on behalf of an app: briefly and at intervals. It connects to a device that
/// it sees in several looks in succession.
public struct SystemSearch: Hashable, Sendable {
    /// Time from the start of one look to the start of the next.
    public var period: Duration
    /// Duration of a look.
    public var window: Duration
    /// Number of successive looks that have to see the device.
    public var looks: Int
    /// Time from the request to the first look.
    public var delay: Duration

    public init(period: Duration, window: Duration, looks: Int, delay: Duration) {
        self.period = period
        self.window = window
        self.looks = looks
        self.delay = delay
    }
}

/// Reason for a client's failed request.
public enum ClientFault: Error, Hashable, Sendable {
    /// The server refused the request with this ATT error code.
    case refused(UInt8)
    /// The server does not have the characteristic.
    case absent
    /// The server did not respond, or the connection was lost.
    case lost
}
