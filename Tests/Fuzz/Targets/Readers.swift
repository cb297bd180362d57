import Captures
import TestKit

// The readers of capture files, each with inputs of its own format.
extension FuzzTarget {
    static let btsnoop = reader("btsnoop", [Array("btsnoop\0".utf8)])
    static let packetLogger = reader("packetlogger", [])
    static let pcap = reader(
        "pcap",
        [
            [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
        ], more: [LinkType.usbLinux, .usbLinuxMapped, .usbPcap, .usbDarwin].map { usbSession.usbPcap($0) })
    static let pcapng = reader("pcapng", [[0x0A, 0x0D, 0x0D, 0x0A]])
    /// Without a magic number: the first record is made one of an LE packet.
    static let smartRF = FuzzTarget("psd") { _ in
        [smartRFRecord(1), smartRFRecord(1) + smartRFRecord(2) + smartRFRecord(5)]
    } fault: { input in
        let bytes = smartRFRecord(1) + input
        return Reading(bytes).fault ?? Reading.difference(Reading(bytes), Reading(bytes, chunkSize: 61))
    }

    /// A record of an LE packet with 9 bytes after its header.
    private static func smartRFRecord(_ number: UInt8) -> [UInt8] {
        let packet: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E, 0x40, 9, 1, 2, 3, 4, 5, 0xC0, 2, 1, 6, 0xAA, 0xBB, 0xCC]
        let header: [UInt8] = [1, number, 0, 0, 0] + [UInt8](repeating: number, count: 8) + [21, 0, 18]
        let record = header + packet + [0x20, 0xA5]
        return record + [UInt8](repeating: 0, count: 271 - record.count)
    }

    static let gzip = reader("gzip", [[0x1F, 0x8B]])

    /// The records of a btsnooz log, after a byte that chooses the version: what is written of them is a btsnoop file.
    static let btsnooz = FuzzTarget("btsnooz") { _ in
        [
            [0, 4, 0, 0, 0, 0, 0, 0x20, 3, 0x0C, 0, 7, 0, 1, 0, 0, 0, 0x10, 0x0E, 4, 1, 3, 0x0C, 0],
            [1, 4, 0, 4, 0, 0, 0, 0, 0, 0x20, 3, 0x0C, 0, 5, 0, 99, 0, 1, 0, 0, 0, 0x11, 0x40, 0x20, 94, 0],
            [1, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 3, 0x0C, 0],
        ]
    } fault: { input in
        let log = Btsnooz.Capture(
            records: Array(input.dropFirst()), version: 1 + (input.first ?? 0) % 2, last: UInt64(input.count) << 40)
        let reading = Reading(log.bytes)
        if let fault = reading.fault { return fault }
        if reading.isPartial { return nil }
        guard reading.packets.count == log.packets, reading.warnings.isEmpty else {
            return "\(log.packets) records, \(reading.packets.count) packets, \(reading.warnings)"
        }
        let cut = reading.packets.count { $0.packet.isCut }
        return cut == log.cutPackets ? nil : "\(log.cutPackets) cut records, \(cut) cut packets"
    }

    /// A dump of BabbleSim, below a line with the names of its columns: each packet is one of the pcap file made of it.
    static let babbleSim = FuzzTarget("babblesim") { _ in
        [
            Array("625,0x8e89bed6,16,2.0,1,-50.4,11,02 06 01 02 03 04 05 06 aa bb cc\n".utf8),
            Array("1,0x50655d2c,80,4.0,1,-9,1,01\n2,0x50655d2c,80,4.0,2,-9,5,01 00 44 55 66\n".utf8),
        ]
    } fault: { input in
        let columns = Array("start_time,phy_address,modulation,center_freq,status,RSSI,packet_size,packet\n".utf8)
        if !BabbleSimDump.recognizes(columns + input) { return "it is not recognised" }
        _ = (BabbleSimDump.recognizes(input), BabbleSimDump(input))
        let dump = BabbleSimDump(columns + input)
        let reading = Reading(dump.bytes)
        if let fault = reading.fault { return fault }
        if reading.isPartial || dump.packets == 0 { return nil }
        return reading.packets.count == dump.packets && reading.warnings.isEmpty
            ? nil : "\(dump.packets) packets written, \(reading.packets.count) read, \(reading.warnings)"
    }

    /// A command, its event, an event of two transfers, and ACL data in both directions.
    private static var usbSession: Recording {
        let recording = Recording(.hci)
        recording.record([1, 0x03, 0x0C, 0], .sent)
        recording.record([4, 0x0E, 4, 1, 0x03, 0x0C, 0], .received)
        recording.record([4, 0x3E, 19, 1, 0, 0x40] + [UInt8](repeating: 0, count: 15), .received)
        recording.record([2, 0x40, 0x00, 7, 0, 3, 0, 4, 0, 2, 0xF7, 0], .sent)
        recording.record([2, 0x40, 0x20, 7, 0, 3, 0, 4, 0, 3, 0xB9, 0], .received)
        return recording
    }

    /// What one line of a UART carried, after a byte that chooses the transport.
    static let dump = FuzzTarget("dump") { _ in
        [
            [0, 1, 3, 12, 0, 4, 14, 4, 1, 3, 12, 0, 2, 64, 32, 7, 0, 3, 0, 4, 0, 10, 3, 0, 9, 9],
            [1, 0xC0, 0, 0x2F, 0, 0xD0, 1, 0x7E, 0xC0, 0xC0, 0x80, 0x31, 0, 0x4E, 3, 12, 0, 0xC0],
            [1, 0xC0, 0xD1, 0x64, 0, 0xCA, 14, 4, 1, 3, 12, 0, 0x82, 0x9A, 0xC0, 0xC0, 0x10, 0, 0, 0xEF, 0xC0],
        ]
    } fault: { input in
        let stated: StatedContent = (input.first ?? 0) & 1 == 0 ? .h4 : .h5
        let bytes = Array(input.dropFirst())
        let whole = Reading(bytes, as: stated)
        return whole.fault ?? Reading.difference(whole, Reading(bytes, chunkSize: 61, as: stated))
    }

    /// Records of a pcap file with a link type for private use, as packets of the three-wire UART.
    static let threeWire = FuzzTarget("h5") { _ in
        [[7, 0xC0, 0x80, 0x31, 0, 0x4E, 3, 12, 0, 0xC0, 7, 0x80, 0x31, 0, 0x4E, 3, 12, 0]]
    } fault: { input in
        var file: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 157, 0, 0, 0]
        var rest = input[...]
        while let length = rest.popFirst() {
            let packet = rest.prefix(Int(length))
            rest = rest.dropFirst(packet.count)
            file += [0, 0, 0, 0, 0, 0, 0, 0, UInt8(packet.count), 0, 0, 0, length, 0, 0, 0]
            file += packet
        }
        let whole = Reading(file, as: .h5)
        return whole.fault ?? Reading.difference(whole, Reading(file, chunkSize: 61, as: .h5))
    }

    /// The reader of one format, whose files begin with one of `magics`.
    private static func reader(_ name: String, _ magics: [[UInt8]], more: [[UInt8]] = []) -> FuzzTarget {
        FuzzTarget(name) { captures in
            captures.filter { Reading.format(of: $0) == name } + more
        } fault: { input in
            var bytes = input
            if let magic = magics.first, !magics.contains(where: input.starts(with:)) {
                bytes.replaceSubrange(0..<min(magic.count, bytes.count), with: magic)
            }
            // Compressed bytes may expand by a factor of a thousand.
            let chunkSize = magics == [[0x1F, 0x8B]] ? 4093 : 61
            return Reading(bytes).fault ?? Reading.difference(Reading(bytes), Reading(bytes, chunkSize: chunkSize))
        }
    }
}

/// The complete result of reading some bytes.
struct Reading {
    /// Packets with their bytes, in order.
    private(set) var packets: [(packet: CapturedPacket, bytes: [UInt8])] = []
    private(set) var warnings: [CaptureWarning] = []
    private(set) var error: CaptureError?
    /// A fault of the reader.
    private(set) var fault: String?
    /// Total bytes of the batches.
    private(set) var size = 0

    /// Reading stops after this many bytes: a short input may expand to a thousand times its length.
    static let limit = 1 << 20

    /// Whether there was more to read.
    var isPartial: Bool { size > Self.limit }

    init(_ bytes: [UInt8], chunkSize: Int = 256 * 1024, as stated: StatedContent? = nil) {
        self.init { () throws(CaptureError) in
            try CaptureReader(source: ByteSource(bytes: bytes, name: "input", chunkSize: chunkSize), as: stated)
        }
    }

    init(open: () throws(CaptureError) -> CaptureReader) {
        do throws(CaptureError) {
            let reader = try open()
            while !isPartial, let batch = try reader.next() { take(batch) }
            warnings = reader.warnings
            try reader.rewind()
            var again = 0
            while again < packets.count || !isPartial, let batch = try reader.next() { again += batch.packets.count }
            if again != packets.count { fault = "\(packets.count) packets, \(again) after going back" }
        } catch {
            self.error = error
            if !packets.isEmpty { fault = "an error after \(packets.count) packets: \(error)" }
        }
    }

    private mutating func take(_ batch: PacketBatch) {
        size += batch.bytes.count
        if batch.packets.isEmpty { fault = "an empty batch" }
        for packet in batch.packets {
            guard packet.start >= 0, packet.count >= 0, packet.start + packet.count <= batch.bytes.count else {
                fault = "packet \(packet.number) lies outside of its batch"
                return
            }
            if packet.number < packets.last?.packet.number ?? 0 { fault = "frame \(packet.number) comes late" }
            if packet.comment >= batch.comments.count { fault = "packet \(packet.number) has no such comment" }
            _ = batch.hciView(of: packet)
            packets.append((packet, Array(batch.bytes(of: packet))))
        }
    }

    /// A difference between two readings of the same bytes.
    static func difference(_ one: Reading, _ other: Reading) -> String? {
        let isPartial = one.isPartial || other.isPartial
        guard one.packets.count == other.packets.count || isPartial else {
            return "\(one.packets.count) packets in large chunks, \(other.packets.count) in small ones"
        }
        for (a, b) in zip(one.packets, other.packets) {
            var moved = b.packet
            moved.start = a.packet.start
            moved.comment = a.packet.comment
            if a.packet != moved || a.bytes != b.bytes { return "packet \(a.packet.number) differs in small chunks" }
        }
        if isPartial { return nil }
        // Warnings about a batch come after the warnings about its records.
        let (warnings, others) = (one.warnings.map(\.description).sorted(), other.warnings.map(\.description).sorted())
        if warnings != others { return "warnings differ: \(warnings) and \(others)" }
        if one.error?.kind != other.error?.kind || one.error?.finding.offset != other.error?.finding.offset {
            return "errors differ: \(String(describing: one.error)) and \(String(describing: other.error))"
        }
        return nil
    }

    /// The name of the target for a capture's format.
    static func format(of capture: [UInt8]) -> String? {
        if capture.starts(with: [0x1F, 0x8B]) { return "gzip" }
        guard let reader = try? CaptureReader(source: ByteSource(bytes: capture, name: "capture")) else { return nil }
        return switch reader.format {
        case .btsnoop: "btsnoop"
        case .packetLogger: "packetlogger"
        case .pcap: "pcap"
        case .pcapng: "pcapng"
        case .smartRF: "psd"
        case .h4Dump: "h4dump"
        case .threeWireDump: "h5"
        }
    }
}
