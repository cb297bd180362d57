import Bytes

/// A run of packets with the bytes that they lie in: what a reader hands on at a time.
///
/// A batch is filled by one owner and read by others once it has been handed on; handing it on is what makes it
/// `Sendable`, nobody writes to it afterwards.
public struct PacketBatch: Sendable {
    /// The bytes of all packets, with whatever the file has between them.
    public var bytes: [UInt8] = []
    public var packets: [CapturedPacket] = []
    /// Comments of packets, as `CapturedPacket.comment` counts them: of each packet that has some, all.
    public var comments: [[String]] = []

    public init(bytes: [UInt8] = [], packets: [CapturedPacket] = [], comments: [[String]] = []) {
        self.bytes = bytes
        self.packets = packets
        self.comments = comments
    }

    /// Empties the batch and keeps its memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        packets.removeAll(keepingCapacity: true)
        comments.removeAll()
    }

    /// The bytes of one packet.
    public func bytes(of packet: CapturedPacket) -> ArraySlice<UInt8> { bytes[packet.range] }

    /// The comments that the recorder gave a packet.
    package func comments(of packet: CapturedPacket) -> [String] {
        packet.comment >= 0 && Int(packet.comment) < comments.count ? comments[Int(packet.comment)] : []
    }

    /// One packet as HCI; nil for what is none.
    public func hciView(of packet: CapturedPacket) -> HCIView? { packet.hciView(in: bytes.span.rawBytes) }
}
