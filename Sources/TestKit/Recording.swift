package import Bytes
package import Captures
import PDUTestKit

/// A scripted capture: packets with timestamps, in order, which can be written in any format.
///
/// It is fully determined by the calls that build it: the first packet is recorded at noon of 2026-03-01 UTC, each
/// following one `pace` later.
package final class Recording {
    /// One packet, in the encapsulation of the recording.
    package struct Packet: Sendable, Hashable {
        package var time: Timestamp
        package var direction: Direction
        /// Index of the HCI adapter.
        package var adapter: UInt16
        package var bytes: [UInt8]
        /// Number of bytes that the recorder cut off at the end.
        package var missing = 0
        package var comment: String?

        package init(time: Timestamp, direction: Direction, adapter: UInt16, bytes: [UInt8]) {
            self.time = time
            self.direction = direction
            self.adapter = adapter
            self.bytes = bytes
        }
    }

    /// The kind of packets: HCI with packet indicators, or link layer with a pseudo-header.
    package enum Kind: Sendable {
        case hci, air

        var encapsulation: Encapsulation { self == .hci ? .h4 : .linkLayerWithHeader }
    }

    package let kind: Kind
    package var packets: [Packet] = []
    /// Time of the next packet.
    package var time = Timestamp(seconds: 1_772_366_400, nanoseconds: 0)
    /// Time between packets, in nanoseconds.
    package var pace: Int64 = 7_500_000

    package init(_ kind: Kind) {
        self.kind = kind
    }

    package func record(_ bytes: [UInt8], _ direction: Direction, adapter: UInt16 = 0) {
        packets.append(Packet(time: time, direction: direction, adapter: adapter, bytes: bytes))
        time.nanoseconds += pace
    }

    /// Advances time.
    package func wait(milliseconds: Int64) {
        time.nanoseconds += milliseconds * 1_000_000
    }

    /// Cuts the last packet to `count` bytes.
    package func cutLast(to count: Int) {
        guard var last = packets.popLast() else { return }
        last.missing = max(0, last.bytes.count - count)
        last.bytes.removeLast(last.missing)
        packets.append(last)
    }

    /// Adds a comment to the last packet.
    package func comment(_ text: String) {
        guard !packets.isEmpty else { return }
        packets[packets.count - 1].comment = text
    }
}

// MARK: - Extreme times

extension Recording {
    /// Timestamps whose differences overflow 64 bits of nanoseconds, including the earliest and the latest possible
    /// ones.
    package static let extremeTimes = [[Int64.max], [.min], [.min, .max], [.max, .min, 0]].map {
        $0.map { Timestamp(nanoseconds: $0) }
    }

    /// The recording with these timestamps on its packets, in rotation.
    package func timed(at times: [Timestamp]) -> Recording {
        let recording = Recording(kind)
        recording.packets = packets
        for index in packets.indices { recording.packets[index].time = times[index % times.count] }
        return recording
    }
}

// MARK: - As packets

extension Recording {
    /// The packets as a batch of a capture reader.
    package var batch: PacketBatch {
        var batch = PacketBatch()
        for packet in packets {
            batch.packets.append(
                CapturedPacket(
                    number: batch.packets.count + 1, time: packet.time, encapsulation: kind.encapsulation,
                    direction: kind == .hci ? packet.direction : .unknown, adapter: packet.adapter,
                    originalLength: packet.bytes.count + packet.missing, start: batch.bytes.count,
                    count: packet.bytes.count, comment: packet.comment == nil ? -1 : Int32(batch.comments.count)))
            batch.bytes += packet.bytes
            if let comment = packet.comment { batch.comments.append([comment]) }
        }
        return batch
    }
}

// MARK: - As a file

extension Recording {
    /// The bytes of a file written by `CaptureWriter`; with btsnoop, link type 254 is the Linux monitor.
    package func file(_ format: CaptureFormat, _ linkType: LinkType) throws -> [UInt8] {
        guard let target = CaptureTarget(format, linkType: linkType) else {
            preconditionFailure("\(format.name) is not written with link type \(linkType.label)")
        }
        let folder = try TemporaryFolder()
        let writer = try CaptureWriter(path: folder.path("recording"), target: target)
        let batch = batch
        for packet in batch.packets { try writer.write(packet, of: batch) }
        try writer.flush()
        return try folder.bytes("recording")
    }

    /// The bytes of a btsnoop file: HCI with packet indicators.
    package func btsnoop() throws -> [UInt8] { try file(.btsnoop, .h4) }

    /// The bytes of a pcap file with the pseudo-headers of link type 256.
    package func airPcap() throws -> [UInt8] { try file(.pcap, .linkLayerWithHeader) }
}
