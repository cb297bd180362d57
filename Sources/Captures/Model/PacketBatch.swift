import Bytes

/// A run of packets and their bytes: the unit in which a reader delivers packets.
///
/// One owner fills a batch, then passes it on. After that it is only read, which makes it `Sendable`.
public struct PacketBatch: Sendable {
    /// The bytes of all packets, including the file's bytes between them. Packets joined from several records follow.
    public var bytes: [UInt8] = []
    public var packets: [CapturedPacket] = []
    /// All comments of each packet that has comments, indexed by `CapturedPacket.comment`.
    public var comments: [[String]] = []

    public init(bytes: [UInt8] = [], packets: [CapturedPacket] = [], comments: [[String]] = []) {
        self.bytes = bytes
        self.packets = packets
        self.comments = comments
    }

    /// Empties the batch but keeps its memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        packets.removeAll(keepingCapacity: true)
        comments.removeAll()
    }

    /// The bytes of one packet.
    public func bytes(of packet: CapturedPacket) -> ArraySlice<UInt8> { bytes[packet.range] }

    /// The packet's comments from the capture file.
    package func comments(of packet: CapturedPacket) -> [String] {
        packet.comment >= 0 && Int(packet.comment) < comments.count ? comments[Int(packet.comment)] : []
    }

    /// The packet as HCI; nil if it is none.
    public func hciView(of packet: CapturedPacket) -> HCIView? { packet.hciView(in: bytes.span.rawBytes) }
}
