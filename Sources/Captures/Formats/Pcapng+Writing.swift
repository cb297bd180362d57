import Bytes

/// Writes pcapng: one little-endian section with nanosecond times and an interface for each adapter, or with interfaces
/// that are stated.
struct PcapngWriter: RecordWriter {
    let linkType: LinkType
    /// All interfaces, by which packets name theirs; empty if each adapter has one.
    private let stated: [StatedInterface]
    /// Interface names by number; nil for an interface without a name in the source.
    var interfaceNames: [String?] = []
    private var interfaceCount = 0
    /// Seconds that readers add to the section's times (`if_tsoffset`): 0, or the earliest possible time if packets are
    /// older than 1970.
    private var timeOffset: Int64 = 0

    /// The earliest possible packet time in whole seconds.
    private static let earliest = Int64.min / 1_000_000_000

    /// Interfaces from this number on are written as interface 0.
    private static let interfaceLimit = 256

    init(linkType: LinkType) {
        self.linkType = linkType
        stated = []
    }

    init(_ interfaces: [StatedInterface]) {
        linkType = interfaces.first?.linkType ?? .h4WithDirection
        stated = interfaces
    }

    func begin(_ output: inout OutputBuffer) {
        block(.sectionHeader, &output) { body in
            body.append(littleEndian: Pcapng.byteOrderMagic)
            body.append(littleEndian: 1 as UInt16)
            body.append(littleEndian: 0 as UInt16)
            body.append(littleEndian: -1 as Int64)
        }
    }

    mutating func write(
        _ packet: OutgoingPacket, header: [UInt8], body: [UInt8], _ output: inout OutputBuffer,
        _ losses: inout LossCounter
    ) {
        if packet.time.nanoseconds < 0, timeOffset == 0 { beginEarly(&output) }
        let interface = interface(for: packet, &output, &losses)
        let linkType = linkType(of: interface)
        let comments = packet.comments.map { Array($0.utf8) }.filter { $0.count <= UInt16.max }
        if comments.count < packet.comments.count { losses.add(.comment, frame: packet.number) }
        // Wrapped around, the difference equals that of the unsigned numbers.
        let sinceOffset = max(packet.time.nanoseconds, timeOffset * 1_000_000_000) &- timeOffset * 1_000_000_000
        let time = UInt64(bitPattern: sinceOffset)
        let count = header.count + packet.count
        block(.enhancedPacket, &output) { block in
            block.append(littleEndian: UInt32(interface))
            block.append(littleEndian: UInt32(truncatingIfNeeded: time >> 32))
            block.append(littleEndian: UInt32(truncatingIfNeeded: time))
            block.append(littleEndian: UInt32(truncatingIfNeeded: count))
            block.append(littleEndian: UInt32(clamping: count + packet.missing))
            block.append(header)
            block.append(body[packet.start..<(packet.start + packet.count)])
            block.pad(count)
            for comment in comments { option(Pcapng.Option.comment, comment, &block) }
            // Link type 187 stores the direction only in this option.
            if linkType == .h4, packet.direction != .unknown {
                option(Pcapng.Option.packetFlags, [packet.direction == .received ? 1 : 2, 0, 0, 0], &block)
            }
            if packet.drops > 0 {
                let drops = (0..<8).map { UInt8(truncatingIfNeeded: packet.drops >> (8 * $0)) }
                option(Pcapng.Option.dropCount, drops, &block)
            }
        }
    }

    /// Begins a section for times before 1970: its interfaces carry the time offset.
    private mutating func beginEarly(_ output: inout OutputBuffer) {
        timeOffset = Self.earliest
        guard interfaceCount > 0 else { return }
        interfaceCount = 0
        begin(&output)
    }

    /// The number of a packet's interface; writes its description block if it is new.
    private mutating func interface(
        for packet: OutgoingPacket, _ output: inout OutputBuffer, _ losses: inout LossCounter
    ) -> Int {
        // A monitor record contains its adapter.
        var number = linkType == .linuxMonitor && stated.isEmpty ? 0 : Int(packet.adapter)
        if number >= (stated.isEmpty ? Self.interfaceLimit : stated.count) {
            losses.add(.adapter, frame: packet.number)
            number = 0
        }
        while interfaceCount <= max(number, stated.count - 1) {
            describe(interfaceCount, &output)
            interfaceCount += 1
        }
        return number
    }

    private func linkType(of interface: Int) -> LinkType {
        interface < stated.count ? stated[interface].linkType : linkType
    }

    private func describe(_ interface: Int, _ output: inout OutputBuffer) {
        block(.interfaceDescription, &output) { body in
            body.append(littleEndian: UInt16(truncatingIfNeeded: linkType(of: interface).rawValue))
            body.append(littleEndian: 0 as UInt16)
            body.append(littleEndian: UInt32(CaptureLimit.packet))
            if interface < stated.count {
                option(Pcapng.Option.interfaceName, Self.name(stated[interface].name), &body)
                option(Pcapng.Option.interfaceDescription, Self.name(stated[interface].description), &body)
            }
            if interface < interfaceNames.count, let name = interfaceNames[interface] {
                option(Pcapng.Option.interfaceName, Array(name.utf8), &body)
            }
            option(Pcapng.Option.timeResolution, [9], &body)
            if timeOffset != 0 {
                let seconds = (0..<8).map { UInt8(truncatingIfNeeded: timeOffset >> (8 * $0)) }
                option(Pcapng.Option.timeOffset, seconds, &body)
            }
        }
    }

    /// The bytes of a name, of which readers keep no more.
    private static func name(_ text: String) -> [UInt8] {
        var text = text[...]
        while text.utf8.count > CaptureLimit.name { text.removeLast() }
        return Array(text.utf8)
    }

    private func option(_ code: UInt16, _ value: [UInt8], _ output: inout OutputBuffer) {
        output.append(littleEndian: code)
        output.append(littleEndian: UInt16(truncatingIfNeeded: value.count))
        output.append(value)
        output.pad(value.count)
    }

    private func block(_ type: Pcapng.BlockType, _ output: inout OutputBuffer, _ body: (inout OutputBuffer) -> Void) {
        let start = output.bytes.count
        output.append(littleEndian: type.rawValue)
        output.append(littleEndian: 0 as UInt32)
        body(&output)
        let length = UInt32(truncatingIfNeeded: output.bytes.count - start + 4)
        output.patch(littleEndian: length, at: start + 4)
        output.append(littleEndian: length)
    }
}
