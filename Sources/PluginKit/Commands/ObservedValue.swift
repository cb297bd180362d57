public import Bluetooth
public import Bytes
public import Profile

/// An attribute value observed in a frame of a capture.
public struct ObservedValue: Sendable, Hashable {
    /// The device that has the attribute.
    public struct Peer: Sendable, Hashable {
        /// Distinguishes the devices of a capture, including those without an address.
        public var index: Int
        /// The device's name, else its address, else "?".
        public var title: String
        /// Nil if unknown, for example for a device recorded at its own controller.
        public var address: String?

        public init(index: Int, title: String, address: String? = nil) {
            self.index = index
            self.title = title
            self.address = address
        }
    }

    public var time: Timestamp
    /// Frame number, starting at 1.
    public var frame: Int
    public var peer: Peer
    public var type: UUID
    public var handle: Handle
    /// The operation that carried the value: read, notify or indicate from the server, or write.
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
