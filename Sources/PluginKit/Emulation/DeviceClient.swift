public import Bytes

/// The behaviour of a device's client, an app for instance, as pure logic: a reference for those who write one, and the
/// other end of a twin in demonstrations and tests.
///
/// It knows characteristics by their names in the profile. The owner keeps a Bluetooth host that scans, connects, learns
/// the server's attributes and asks one thing after the other.
public protocol DeviceClient: Sendable {
    mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction]

    /// When the client wants to be told that time has passed; nil when nothing waits for it.
    var deadline: Timestamp? { get }
}

/// What a client is told.
public enum ClientInput: Hashable, Sendable {
    /// It is connected, knows the server's attributes and may ask; values can have so many bytes in one notification.
    case connected(capacity: Int)
    case disconnected
    /// A read ended.
    case read(String, Result<[UInt8], ClientFault>)
    /// A write or a subscription ended; nil when all is well.
    case written(String, ClientFault?)
    /// The server told a value.
    case notified(String, [UInt8])
    /// What was to be committed is on disk: so many rows were new; or it could not be written.
    case committed(Result<Int, StoreFault>)
    /// What its user wants: `sync`, `calibrate`.
    case task(Stimulus)
    case time
}

/// What a client does. Requests are made one after the other, in their order.
public enum ClientAction: Hashable, Sendable {
    /// Looks for the device for 30 s and connects to it.
    case connect
    /// Looks for the device for a time and connects to it.
    case search(Duration)
    case disconnect
    case read(String)
    case write(String, [UInt8])
    case writeCommand(String, [UInt8])
    /// Asks for notifications or indications, whichever the characteristic has; or for no more of them.
    case subscribe(String, Bool)
    /// Changes the rows of the store. `ClientInput.committed` follows when they are on disk, before any later answer of the
    /// device; without a store it follows at once. Actions after it do not wait for it.
    ///
    /// Clients that go on until they are stopped may get it after later answers, in the order of the commits: what comes at
    /// the same time is committed together, and the first of these commits is told the new rows of all.
    case commit([StoreChange])
    case tell(TwinNote)
}

/// Why a request of a client failed.
public enum ClientFault: Error, Hashable, Sendable {
    /// The server refused, with this ATT error code.
    case refused(UInt8)
    /// The server does not have the characteristic.
    case absent
    /// No answer came, or the connection was lost.
    case lost
}
