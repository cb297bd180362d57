import Bluetooth

/// Assembles the parts of a long attribute value that a client queues by Prepare Write, or reads by Read Blob.
struct ValueAssembler: Sendable {
    /// Attribute that the parts belong to; 0 for none.
    private(set) var handle = Handle(0)
    private var bytes: [UInt8] = []

    /// Adds a part at `offset`; a part that leaves a gap discards the value.
    mutating func add(_ part: ArraySlice<UInt8>, at offset: Int, of handle: Handle) {
        if offset == 0 || handle != self.handle {
            bytes.removeAll()
            self.handle = handle
        }
        guard offset <= bytes.count, offset + part.count <= ATT.maximumValueLength else { return reset() }
        bytes.replaceSubrange(offset..., with: part)
    }

    /// Returns the value so far and empties the assembler.
    mutating func take() -> (handle: Handle, value: [UInt8])? {
        guard handle.rawValue != 0 else { return nil }
        defer { reset() }
        return (handle, bytes)
    }

    mutating func reset() {
        guard handle.rawValue != 0 else { return }
        handle = Handle(0)
        bytes = []
    }
}
