import Bytes

/// A dump of BabbleSim's 2.4 GHz physical layer: a text with the names of its columns in the first line, then a packet on
/// each line (`docs/README_dumps.md` of ext_2G4_phy_v1). It is converted to pcap with link type 256.
///
/// Transmissions (`Tx.csv`) and, in version 1, receptions (`Rx.csv`) are read. Times count from the start of the
/// simulation.
package struct BabbleSimDump {
    /// The packets as a pcap file.
    package var bytes: [UInt8] { output.bytes }
    package private(set) var packets = 0

    private let writer = PcapWriter(linkType: .linkLayerWithHeader, hasNanoseconds: false)
    private var output = OutputBuffer()
    /// None: the format has what the dump has.
    private var losses = LossCounter()

    /// P2G4_MOD_* of BabbleSim.
    private enum Modulation {
        static let le1M = 0x10
        static let le2M = 0x20
        static let leCoded = 0x50
    }

    /// Whether a text begins with the names of the columns.
    package static func recognizes(_ start: [UInt8]) -> Bool { Columns(start.prefix(while: { $0 != lineFeed })) != nil }

    private static let lineFeed = UInt8(ascii: "\n")

    /// Reads a whole text.
    package init(_ text: [UInt8]) {
        var lines = text.split(separator: Self.lineFeed)
        writer.begin(&output)
        guard let first = lines.first, let columns = Columns(first) else { return }
        lines.removeFirst()
        var coding: Row?
        for line in lines {
            // Lines of other modulations, cut lines, and receptions without a packet are skipped.
            guard let row = Row(line, columns) else { continue }
            // A packet on LE Coded is two lines: the coding indicator, then the rest.
            if row.modulation == Modulation.leCoded, row.packet.count == 1 {
                coding = row
            } else if row.modulation == Modulation.leCoded {
                append(row, after: coding)
                coding = nil
            } else {
                append(row, after: nil)
            }
        }
    }

    private mutating func append(_ row: Row, after coding: Row?) {
        let packet = (coding?.packet ?? []) + row.packet
        let size = (coding?.size ?? 0) + row.size
        let phy: UInt16 =
            switch row.modulation {
            case Modulation.le2M: 1
            case Modulation.leCoded: 2
            default: 0
            }
        let reception = LinkLayerView.Reception(
            radioChannel: row.channel, signal: row.power, phy: phy, isChecksumValid: row.hasValidChecksum)
        packets += 1
        let time = Timestamp(microseconds: Int64(clamping: coding?.time ?? row.time))
        writer.write(
            OutgoingPacket(
                number: packets, time: time, direction: .unknown, adapter: 0, start: 0, count: packet.count,
                missing: max(0, size - packet.count)),
            header: reception.bytes + ByteWriter.bytes { $0.write(row.address) }, body: packet, &output, &losses)
    }

    /// Places of the columns.
    private struct Columns {
        let time, frequency, address, modulation, size, packet: Int
        let power, status: Int?
        let count: Int

        init?(_ line: ArraySlice<UInt8>) {
            let names = BabbleSimDump.fields(of: line)
            func place(_ candidates: String...) -> Int? {
                candidates.compactMap { names.firstIndex(of: $0) }.first
            }
            guard let time = place("start_time", "start_packet_time"), let frequency = place("center_freq"),
                let address = place("phy_address"), let modulation = place("modulation"),
                let size = place("packet_size"), let packet = place("packet")
            else { return nil }
            (self.time, self.frequency, self.address) = (time, frequency, address)
            (self.modulation, self.size, self.packet) = (modulation, size, packet)
            power = place("power_level", "RSSI")
            status = place("status")
            count = names.count
        }
    }

    /// A line with a packet.
    private struct Row {
        /// In µs from the start of the simulation.
        let time: UInt64
        /// RF channel, in order of frequency.
        let channel: UInt8
        let address: UInt32
        let modulation: Int
        /// Of the packet, in bytes, from its header to its CRC.
        let size: Int
        let packet: [UInt8]
        /// In dBm; nil if not stated.
        let power: Int8?
        /// Nil for a transmission.
        let hasValidChecksum: Bool?

        init?(_ line: ArraySlice<UInt8>, _ columns: Columns) {
            let fields = BabbleSimDump.fields(of: line)
            guard fields.count == columns.count, let time = UInt64(fields[columns.time]),
                let frequency = Double(fields[columns.frequency]), let modulation = Int(fields[columns.modulation]),
                [Modulation.le1M, Modulation.le2M, Modulation.leCoded].contains(modulation),
                let address = BabbleSimDump.address(fields[columns.address]), let size = Int(fields[columns.size]),
                (1...4096).contains(size), let packet = BabbleSimDump.bytes(fields[columns.packet]), !packet.isEmpty
            else { return nil }
            let offset = frequency >= 2400 ? frequency - 2400 : frequency
            guard offset >= 1, offset < 81 else { return nil }
            channel = UInt8((offset - 1) / 2)
            (self.time, self.modulation, self.address) = (time, modulation, address)
            (self.size, self.packet) = (size, Array(packet.prefix(size)))
            power = columns.power.flatMap { Double(fields[$0]) }.flatMap {
                Int8(exactly: max(-127, min(127, $0.rounded())))
            }
            // 1 is OK, 2 a CRC error; in 3 and 4 there is no whole packet.
            switch columns.status.map({ fields[$0] }) {
            case nil: hasValidChecksum = nil
            case "1"?: hasValidChecksum = true
            case "2"?: hasValidChecksum = false
            default: return nil
            }
        }
    }

    private static func fields(of line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { field in
            let blanks: ClosedRange<UInt8> = 0...0x20
            let start = field.drop { blanks.contains($0) }
            let end = start.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? start.startIndex
            return String(decoding: start[..<end], as: UTF8.self)
        }
    }

    private static func address(_ text: String) -> UInt32? {
        UInt32(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
    }

    /// Bytes in hexadecimal, separated by spaces or not; nil if there is something else.
    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: " ") }.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
