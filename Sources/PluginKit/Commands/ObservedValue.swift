package import BluetoothTypes
package import Bytes
package import Profile

/// An attribute's value as a capture shows it: a server told it in a frame.
package struct ObservedValue: Sendable, Hashable {
    /// The device whose attribute it is.
    package struct Peer: Sendable, Hashable {
        /// Tells the devices of a capture apart, also those without an address.
        package var index: Int
        /// Its name, else its address, else "?".
        package var title: String

        package init(index: Int, title: String) {
            self.index = index
            self.title = title
        }
    }

    package var time: Timestamp
    /// Number of the frame, from 1.
    package var frame: Int
    package var peer: Peer
    package var type: UUID
    package var handle: Handle
    /// How the server sent it: read, notify or indicate.
    package var operation: OperationKind
    package var value: [UInt8]

    package init(
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
