import Bytes

struct PcapngFramer: RecordFramer {
    private var order = ByteOrder.littleEndian
    /// Interfaces of the current section, as its packets number them.
    private var section: [Interface] = []
    /// Interfaces of all sections. Identical descriptions in later sections map to the same interface.
    private(set) var interfaces: [CaptureInterface] = []
    /// Indices into `interfaces` by description.
    private var positions: [CaptureInterface: Int] = [:]
    private(set) var hasNanoseconds = false
    private var transfers = USBTransfers()
    /// What packets of link types for private use are.
    private let stated: StatedContent?
    /// Nil unless they are those of the three-wire UART.
    private var threeWire: ThreeWireRecords?

    init(as stated: StatedContent? = nil) {
        self.stated = stated
        if stated == .h5 { threeWire = ThreeWireRecords() }
    }

    var format: CaptureFormat { .pcapng }
    var lacksAdapter: Bool { transfers.lacksAdapter }

    /// The interface properties needed to read its packets.
    private struct Interface {
        /// Nil for an unsupported link type.
        var encapsulation: Encapsulation?
        /// Nil unless the interface captures USB.
        var usbHeader: USBHeader?
        /// Maximum captured bytes per packet; 0 for no limit.
        var snapLength: UInt32
        var clock = Pcapng.Clock()
        /// Index into `interfaces`.
        var index: Int
    }

    /// A complete block in the buffer.
    private struct Block {
        var type: Pcapng.BlockType
        var start: Int
        var length: Int
        var body: Range<Int> { (start + Pcapng.bodyOffset)..<(start + length - 4) }
    }

    /// The common fields of all packet block types.
    private struct Packet {
        var interface: Int
        /// In the interface's units; 0 if the block has no time.
        var time: UInt64
        var captured: UInt32
        var original: UInt32
        /// Offset of the packet's first byte.
        var start: Int
        /// End of the block's body.
        var end: Int
    }

    mutating func frame(_ bytes: RawSpan, _ pass: inout FramingPass) {
        pass.packets.reserveCapacity((bytes.byteCount - pass.position) / 44)
        while !pass.hasFailed, let block = nextBlock(bytes, &pass) {
            read(block, bytes, &pass)
            if !pass.hasFailed { pass.position = block.start + block.length }
        }
        let interfaces = interfaces
        threeWire?.replace(in: &pass, bytes) { interfaces[Int($0.adapter)].linkType.isPrivate }
    }

    /// The next block to read; nil if it is incomplete. Other blocks are skipped, complete or not, without checking
    /// their trailing length: the result must not depend on the buffer size.
    private mutating func nextBlock(_ bytes: RawSpan, _ pass: inout FramingPass) -> Block? {
        while pass.position < bytes.byteCount {
            let start = pass.position
            let available = bytes.byteCount - start
            guard available >= Pcapng.blockOverhead else { break }
            if bytes.bigEndian(at: start, as: UInt32.self) == Pcapng.BlockType.sectionHeader.rawValue {
                guard setByteOrder(bytes, &pass) else { return nil }
            }
            let type = Pcapng.BlockType(rawValue: bytes.integer(at: start, order))
            let stated = bytes.integer(at: start + 4, order, as: UInt32.self)
            guard stated >= Pcapng.blockOverhead, stated.isMultiple(of: 4) else {
                pass.fail(
                    "a block of \(stated) bytes was expected to have 12 at least, and a multiple of 4", distance: 4)
                return nil
            }
            let length = Int(stated)
            if type.isRead {
                guard length <= CaptureLimit.block else {
                    pass.fail(
                        "a block of \(length) bytes was expected to have \(CaptureLimit.block) at most", distance: 4)
                    return nil
                }
                guard available >= length else {
                    pass.wait(for: length, "block")
                    return nil
                }
                let repeated = bytes.integer(at: start + length - 4, order, as: UInt32.self)
                guard repeated == stated else {
                    pass.fail("a block of \(stated) bytes ends with a length of \(repeated)", distance: length - 4)
                    return nil
                }
                return Block(type: type, start: start, length: length)
            }
            pass.skipped[type.name, default: 0] += 1
            if type.countsAsFrame { pass.number += 1 }
            pass.position += length
        }
        pass.wait(for: Pcapng.blockOverhead, "block header")
        return nil
    }

    private mutating func setByteOrder(_ bytes: RawSpan, _ pass: inout FramingPass) -> Bool {
        switch bytes.bigEndian(at: pass.position + 8, as: UInt32.self) {
        case Pcapng.byteOrderMagic: order = .bigEndian
        case Pcapng.byteOrderMagic.byteSwapped: order = .littleEndian
        default:
            pass.fail("the section's byte order mark was expected to be 1A 2B 3C 4D or 4D 3C 2B 1A", distance: 8)
            return false
        }
        return true
    }

    private mutating func read(_ block: Block, _ bytes: RawSpan, _ pass: inout FramingPass) {
        switch block.type {
        case .sectionHeader: readSectionHeader(block, bytes, &pass)
        case .interfaceDescription: readInterface(block, bytes, &pass)
        case .enhancedPacket: readEnhancedPacket(block, bytes, &pass)
        case .simplePacket: readSimplePacket(block, bytes, &pass)
        case .obsoletePacket: readObsoletePacket(block, bytes, &pass)
        default: break
        }
    }
}

// MARK: - Sections and interfaces

extension PcapngFramer {
    private mutating func readSectionHeader(_ block: Block, _ bytes: RawSpan, _ pass: inout FramingPass) {
        guard has(block, body: 16, &pass) else { return }
        let version = bytes.integer(at: block.body.lowerBound + 4, order, as: UInt16.self)
        guard version == 1 else {
            return pass.fail(
                "pcapng version \(version), version 1 was expected", kind: .unsupported, distance: 12,
                advice: "unsupported version")
        }
        section = []
        forEachOption(bytes, (block.body.lowerBound + 16)..<block.body.upperBound, &pass) { code, _, pass in
            if code == Pcapng.Option.comment { pass.skipped["comment of a section", default: 0] += 1 }
        }
    }

    private mutating func readInterface(_ block: Block, _ bytes: RawSpan, _ pass: inout FramingPass) {
        guard has(block, body: 8, &pass) else { return }
        guard interfaces.count < CaptureLimit.interfaces else {
            return pass.fail("more than \(CaptureLimit.interfaces) interfaces")
        }
        let body = block.body.lowerBound
        let linkType = LinkType(rawValue: UInt32(bytes.integer(at: body, order, as: UInt16.self)))
        var interface = Interface(
            encapsulation: linkType.encapsulation(stated), usbHeader: USBHeader(linkType, order),
            snapLength: bytes.integer(at: body + 4, order),
            index: interfaces.count)
        var description = CaptureInterface(number: section.count, linkType: linkType)
        let order = order
        forEachOption(bytes, (body + 8)..<block.body.upperBound, &pass) { code, value, pass in
            switch code {
            case Pcapng.Option.comment: pass.skipped["comment of an interface", default: 0] += 1
            case Pcapng.Option.interfaceName: description.name = bytes.text(value.prefix(CaptureLimit.name))
            case Pcapng.Option.interfaceDescription:
                description.description = bytes.text(value.prefix(CaptureLimit.name))
            case Pcapng.Option.timeResolution where value.count >= 1:
                if !interface.clock.setResolution(bytes.byte(at: value.lowerBound)) {
                    pass.warn("an interface's time resolution does not fit 64 bits", advice: "microseconds are assumed")
                }
            case Pcapng.Option.timeOffset where value.count >= 8:
                interface.clock.offset = bytes.integer(at: value.lowerBound, order)
            default: break
            }
        }
        if interface.encapsulation == nil {
            pass.warn("\(description.label): \(linkType.refusal)", advice: "its packets are skipped")
        }
        hasNanoseconds = hasNanoseconds || interface.clock.isFinerThanMicroseconds
        if let known = positions[description] {
            interface.index = known
        } else {
            positions[description] = interface.index
            interfaces.append(description)
        }
        // USB adapters get numbers of their own; those of other interfaces are the interfaces' indices.
        if interface.usbHeader == nil, interface.encapsulation != nil {
            transfers.reserve(adapter: UInt16(truncatingIfNeeded: interface.index))
        }
        section.append(interface)
    }

    /// Whether the block's body has `count` bytes; reports a fault if not.
    private func has(_ block: Block, body count: Int, _ pass: inout FramingPass) -> Bool {
        if block.body.count >= count { return true }
        pass.fail(
            "a block of type \(block.type.rawValue) has a body of \(block.body.count) bytes, \(count) at least were expected"
        )
        return false
    }

    /// Calls `body` with the code and value range of each option in `range`.
    private func forEachOption(
        _ bytes: RawSpan, _ range: Range<Int>, _ pass: inout FramingPass,
        _ body: (UInt16, Range<Int>, inout FramingPass) -> Void
    ) {
        var position = range.lowerBound
        while range.upperBound - position >= 4 {
            let code = bytes.integer(at: position, order, as: UInt16.self)
            let count = Int(bytes.integer(at: position + 2, order, as: UInt16.self))
            if code == Pcapng.Option.end { return }
            let value = position + 4
            guard range.upperBound - value >= count else {
                pass.warn("an option of \(count) bytes reaches over the end of its block", advice: "it was skipped")
                return
            }
            body(code, value..<(value + count), &pass)
            position = min(value + Pcapng.padded(count), range.upperBound)
        }
    }
}

// MARK: - Packets

extension PcapngFramer {
    private mutating func readEnhancedPacket(_ block: Block, _ bytes: RawSpan, _ pass: inout FramingPass) {
        guard has(block, body: 20, &pass) else { return }
        let body = block.body.lowerBound
        add(
            Packet(
                interface: Int(bytes.integer(at: body, order, as: UInt32.self)), time: time(bytes, at: body + 4),
                captured: bytes.integer(at: body + 12, order), original: bytes.integer(at: body + 16, order),
                start: body + 20, end: block.body.upperBound),
            bytes, &pass)
    }

    private mutating func readObsoletePacket(_ block: Block, _ bytes: RawSpan, _ pass: inout FramingPass) {
        guard has(block, body: 20, &pass) else { return }
        let body = block.body.lowerBound
        add(
            Packet(
                interface: Int(bytes.integer(at: body, order, as: UInt16.self)), time: time(bytes, at: body + 4),
                captured: bytes.integer(at: body + 12, order), original: bytes.integer(at: body + 16, order),
                start: body + 20, end: block.body.upperBound),
            bytes, &pass)
    }

    private mutating func readSimplePacket(_ block: Block, _ bytes: RawSpan, _ pass: inout FramingPass) {
        guard has(block, body: 4, &pass) else { return }
        let start = block.body.lowerBound + 4
        let original = bytes.integer(at: start - 4, order, as: UInt32.self)
        let limit = section.first.map { $0.snapLength == 0 ? UInt32.max : $0.snapLength } ?? UInt32.max
        let captured = min(original, limit, UInt32(block.body.upperBound - start))
        add(
            Packet(
                interface: 0, time: 0, captured: captured, original: original, start: start,
                end: start + Pcapng.padded(Int(captured))),
            bytes, &pass)
    }

    /// A time in two 32-bit halves, upper half first in either byte order.
    private func time(_ bytes: RawSpan, at offset: Int) -> UInt64 {
        let high = bytes.integer(at: offset, order, as: UInt32.self)
        let low = bytes.integer(at: offset + 4, order, as: UInt32.self)
        return UInt64(high) << 32 | UInt64(low)
    }

    private mutating func add(_ packet: Packet, _ bytes: RawSpan, _ pass: inout FramingPass) {
        guard packet.captured <= CaptureLimit.packet else {
            return pass.fail(CaptureLimit.refusal(of: packet.captured))
        }
        let count = Int(packet.captured)
        guard packet.end - packet.start >= count else {
            return pass.fail("a packet of \(count) bytes lies in a block with room for \(packet.end - packet.start)")
        }
        pass.number += 1
        guard packet.interface < section.count else {
            return pass.warn(
                "a packet of interface \(packet.interface), the section has \(section.count)",
                advice: "it was skipped")
        }
        let interface = section[packet.interface]
        guard let encapsulation = interface.encapsulation else {
            interfaces[interface.index].skippedPackets += 1
            return
        }
        if packet.captured > packet.original {
            pass.warnOfOriginalLength(packet.original, captured: packet.captured)
        }
        var captured = CapturedPacket(
            number: pass.number, time: interface.clock.time(packet.time),
            encapsulation: encapsulation,
            direction: encapsulation.direction(in: bytes, start: packet.start, count: count),
            // The block numbers the interfaces of its section only.
            adapter: UInt16(truncatingIfNeeded: interface.index),
            originalLength: Int(max(packet.original, packet.captured)), start: packet.start, count: count)
        let options = (packet.start + Pcapng.padded(count))..<max(packet.start + Pcapng.padded(count), packet.end)
        if options.count >= 4 { readOptions(bytes, options, of: &captured, &pass) }
        if let header = interface.usbHeader { return transfers.handle(captured, header, bytes, &pass) }
        pass.packets.append(captured)
    }

    /// Reads comments, the direction and the number of packets dropped since the previous packet.
    private func readOptions(
        _ bytes: RawSpan, _ range: Range<Int>, of packet: inout CapturedPacket, _ pass: inout FramingPass
    ) {
        var comments: [String] = []
        var flags: UInt32 = 0
        var drops: UInt64 = 0
        let order = order
        forEachOption(bytes, range, &pass) { code, value, _ in
            switch code {
            case Pcapng.Option.comment: comments.append(bytes.text(value))
            case Pcapng.Option.packetFlags where value.count >= 4: flags = bytes.integer(at: value.lowerBound, order)
            case Pcapng.Option.dropCount where value.count >= 8:
                drops = bytes.integer(at: value.lowerBound, order)
            default: break
            }
        }
        packet.drops = UInt16(clamping: drops)
        if !comments.isEmpty {
            packet.comment = Int32(truncatingIfNeeded: pass.comments.count)
            pass.comments.append(comments)
        }
        if packet.encapsulation == .h4, packet.direction == .unknown {
            switch flags & 3 {
            case 1: packet.direction = .received
            case 2: packet.direction = .sent
            default: break
            }
        }
    }
}
