public import Bluetooth
public import Bytes
public import Profile

/// An attribute's value as a capture shows it: a server told it in a frame.
public struct ObservedValue: Sendable, Hashable {
    /// The device whose attribute it is.
    public struct Peer: Sendable, Hashable {
        /// Tells the devices of a capture apart, also those without an address.
        public var index: Int
        /// Its name, else its address, else "?".
        public var title: String
        /// Nil where it is not known, as of a device that was recorded at its own controller.
        public var address: String?

        public init(index: Int, title: String, address: String? = nil) {
            self.index = index
            self.title = title
            self.address = address
        }
    }

    public var time: Timestamp
    /// Number of the frame, from 1.
    public var frame: Int
    public var peer: Peer
    public var type: UUID
    public var handle: Handle
    /// How the server sent it: read, notify or indicate; or write.
    public var operation: OperationKind
    public var value: [UInt8]

    public init(
        time: Timestamp, frame: Int, peer: Peer, type: UUID, handle: Handle, operation: OperationKind, value: [UInt8]
    ) {
        self.time = time
        self.frame = frame
        self.peer = peer
        self.type = type
        self.handle = handle
        self.operation = operation
        self.value = value
    }
}
