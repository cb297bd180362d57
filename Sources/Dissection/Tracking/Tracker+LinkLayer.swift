import BluetoothTypes
import Bytes
import Captures
import GAP
package import LinkLayer

extension Encapsulation {
    /// The link layer capture format; nil for an HCI encapsulation.
    var linkLayerFormat: LL.CaptureFormat? {
        switch self {
        case .linkLayer: .bare
        case .linkLayerWithHeader: .radio
        case .nordic: .nordic
        case .ppi: .ppi
        default: nil
        }
    }
}

/// A link layer packet up to its PDU: what tracking and dissection both begin with.
package struct LinkLayerPacket {
    package var capture: LL.CaptureHeader
    package var header: LL.PacketHeader

    init(reading reader: inout ByteReader, _ format: LL.CaptureFormat) throws(DecodeError) {
        capture = try LL.CaptureHeader(format, reading: &reader)
        header = try LL.PacketHeader(reading: &reader, hasCodingIndicator: capture.hasCodingIndicator)
    }

    /// From the central is sent, from the peripheral received.
    var direction: Direction {
        switch capture.direction {
        case .unknown: .unknown
        case .centralToPeripheral: .sent
        case .peripheralToCentral: .received
        }
    }
}

extension Tracker {
    mutating func trackLinkLayer(_ bytes: [UInt8], _ facts: inout FrameFacts, _ gathered: inout Gathered) {
        guard let format = facts.packet.encapsulation.linkLayerFormat else { return }
        var reader = ByteReader(bytes.span.extracting(facts.packet.range))
        guard let packet = try? LinkLayerPacket(reading: &reader, format) else { return }
        facts.direction = packet.direction
        if isDamaged(packet, bytes.span.extracting(facts.packet.range)) {
            facts.notes.insert(.badCRC)
            if let link = linksByAccessAddress[packet.header.accessAddress.rawValue] { join(&facts, link) }
            return
        }
        if packet.header.accessAddress == .advertising {
            facts.kind = .advertising
            trackAdvertising(bytes, packet, &facts)
        } else {
            trackData(bytes, packet, &facts, &gathered)
        }
    }

    /// Whether the CRC is wrong: as the sniffer said, else as it comes out, where it is known what it starts from.
    private func isDamaged(_ packet: LinkLayerPacket, _ frame: Span<UInt8>) -> Bool {
        let address = packet.header.accessAddress
        switch packet.capture.crc {
        case .invalid: return true
        case .valid: return false
        case .unknown:
            let initial =
                address == .advertising
                ? LL.advertisingCRCInit : linksByAccessAddress[address.rawValue].flatMap { links[$0].crcInit }
            return initial.map { packet.header.check(in: frame.rawBytes, initial: $0) == .invalid } ?? false
        }
    }

    // MARK: - Advertising

    private mutating func trackAdvertising(_ bytes: [UInt8], _ packet: LinkLayerPacket, _ facts: inout FrameFacts) {
        guard !facts.packet.isCut else { return }
        let header = LL.AdvertisingHeader(bits: packet.header.header)
        let payload = packet.header.payload
        let start = facts.packet.start + payload.lowerBound
        facts.direction = .unknown
        guard payload.count >= 6 || header.type == .advExtInd else { return }
        switch header.type {
        case .connectInd: trackConnectInd(Array(bytes[start..<(start + payload.count)]), header, &facts)
        case .scanReq where payload.count >= 12:
            facts.sender = devices.index(of: Self.address(bytes, start, header.txAdd))
            facts.receiver = devices.index(of: Self.address(bytes, start + 6, header.rxAdd))
        case .advExtInd: trackExtended(bytes, packet, header, &facts)
        case .advDirectInd where payload.count >= 12:
            facts.sender = devices.index(of: Self.address(bytes, start, header.txAdd))
            facts.receiver = devices.index(of: Self.address(bytes, start + 6, header.rxAdd))
            sight(facts.sender, packet.capture.signal, [])
        case .advInd, .advNonconnInd, .advScanInd, .scanRsp:
            facts.sender = devices.index(of: Self.address(bytes, start, header.txAdd))
            sight(facts.sender, packet.capture.signal, bytes[(start + 6)..<(start + payload.count)])
        default: break
        }
    }

    private mutating func trackConnectInd(_ payload: [UInt8], _ header: LL.AdvertisingHeader, _ facts: inout FrameFacts)
    {
        guard let request = try? LL.ConnectInd(decoding: payload) else { return }
        let central = devices.index(of: DeviceAddress(request.initiator, header.txAdd))
        let peripheral = devices.index(of: DeviceAddress(request.advertiser, header.rxAdd))
        let link = open(
            .accessAddress(request.accessAddress.rawValue), sender: central, receiver: peripheral, with: &facts,
            isBeginning: true)
        links[link].crcInit = request.crcInit
        // Both sides begin with expecting 0 (Vol 6, Part B, 4.5.9).
        for side in [Direction.sent, .received] { flows[slot(link, side)].expectedNumber = 0 }
        facts.direction = .sent
        join(&facts, link)
    }

    private mutating func trackExtended(
        _ bytes: [UInt8], _ packet: LinkLayerPacket, _ header: LL.AdvertisingHeader, _ facts: inout FrameFacts
    ) {
        let range = packet.header.pdu
        let pdu = bytes[(facts.packet.start + range.lowerBound)..<(facts.packet.start + range.upperBound)]
        var reader = ByteReader(pdu.span)
        let read = try? LL.readAdvertising(&reader, in: packet.capture.advertisingContext)
        guard let extended = read as? LL.ExtendedAdvertising, let advertiser = extended.advertiser
        else { return }
        facts.sender = devices.index(of: DeviceAddress(advertiser, header.txAdd))
        sight(facts.sender, packet.capture.signal, extended.data[...])
    }

    private static func address(_ bytes: [UInt8], _ start: Int, _ kind: DeviceAddress.Kind) -> DeviceAddress {
        let value = bytes[start..<(start + 6)].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return DeviceAddress(Address(value: value), kind)
    }

    /// Notes that a device was heard, and its name if the advertising data has it.
    mutating func sight(_ device: Int32, _ rssi: Int8?, _ data: ArraySlice<UInt8>) {
        guard device >= 0 else { return }
        devices.update(device) { device in
            device.sight(rssi: rssi ?? 127)
            guard device.name.isEmpty, let name = GAP.localName(in: data.span.rawBytes) else { return }
            device.name = name.name
        }
        if !evidence.isEmpty { lookForSigns(of: device, data) }
    }

    /// Looks for signs of plugins in advertising data, unless it is what the device advertised before.
    private mutating func lookForSigns(of device: Int32, _ data: ArraySlice<UInt8>) {
        let data = data.span.rawBytes
        let hash = data.shortHash
        let known = devices.devices[Int(device)].advertisingHashes
        guard hash != known.0, hash != known.1 else { return }
        devices.update(device) { $0.advertisingHashes = (hash, known.0) }
        devices.note(evidence.signs(inAdvertisingData: data), of: device)
    }

    // MARK: - Connections

    private mutating func trackData(
        _ bytes: [UInt8], _ packet: LinkLayerPacket, _ facts: inout FrameFacts, _ gathered: inout Gathered
    ) {
        let link = link(of: packet.header.accessAddress, &facts)
        if facts.direction == .unknown {
            facts.direction = links[link].turns.direction(
                at: facts.packet.time, length: packet.header.length, phy: packet.capture.phy)
        }
        join(&facts, link)
        guard !facts.packet.isCut else { return lose(facts.direction, link) }
        let header = LL.DataHeader(bits: packet.header.header)
        let start = facts.packet.start
        let range = packet.header.payload.dropFirst(header.hasCTEInfo ? 1 : 0)
        let payload = (start + range.lowerBound)..<(start + range.upperBound)
        guard payload.count == header.length else { return }
        facts.kind = payload.isEmpty ? .empty : header.llid == .control ? .control : .data
        followAcknowledgement(header, &facts, link)
        if isRepeated(header, bytes[payload], &facts, link) {
            facts.notes.insert(.retransmission)
            if isEncrypted(packet, link), !payload.isEmpty { facts.notes.insert(.encrypted) }
            return
        }
        guard !payload.isEmpty else { return }
        if isEncrypted(packet, link) {
            facts.notes.insert(.encrypted)
            return
        }
        switch header.llid {
        case .control: trackControl(bytes[payload], &facts, link)
        case .start: trackFragment(bytes, payload, isFirst: true, &facts, link, &gathered)
        case .continuation: trackFragment(bytes, payload, isFirst: false, &facts, link, &gathered)
        default: break
        }
    }

    private mutating func link(of address: LL.AccessAddress, _ facts: inout FrameFacts) -> Int {
        if let last = lastAccessAddress, last.address == address.rawValue { return last.link }
        let known = linksByAccessAddress[address.rawValue]
        let link =
            known
            ?? open(.accessAddress(address.rawValue), sender: -1, receiver: -1, with: &facts, isBeginning: false)
        lastAccessAddress = (address.rawValue, link)
        return link
    }

    /// Whether the sender repeats its last PDU: same sequence number, same bytes (Vol 6, Part B, 4.5.9).
    ///
    /// The sequence number alone would not do, as a sniffer may have missed a PDU in between: then the number is that of
    /// the one before, and the bytes are others.
    private mutating func isRepeated(
        _ header: LL.DataHeader, _ payload: ArraySlice<UInt8>, _ facts: inout FrameFacts, _ link: Int
    ) -> Bool {
        let direction = facts.direction
        guard direction != .unknown else { return false }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let pdu = LastPDU(
            sequenceNumber: header.sequenceNumber, llid: header.llid.rawValue, length: header.length, hash: hash)
        let last = flows[slot(link, direction)].lastPDU
        flows[slot(link, direction)].lastPDU = pdu
        if last == pdu { return true }
        flows[slot(link, direction)].isUnacknowledged = true
        if last?.sequenceNumber == header.sequenceNumber { facts.notes.insert(.missed) }
        return false
    }

    /// A side that expects another sequence number than before has got a PDU (Vol 6, Part B, 4.5.9): if the other side's
    /// is not in the capture, it was missed.
    private mutating func followAcknowledgement(_ header: LL.DataHeader, _ facts: inout FrameFacts, _ link: Int) {
        guard facts.direction != .unknown else { return }
        let (own, other) = (slot(link, facts.direction), slot(link, facts.direction.opposite))
        if let before = flows[own].expectedNumber, before != header.nextExpectedSequenceNumber {
            if !flows[other].isUnacknowledged { facts.notes.insert(.missed) }
            flows[other].isUnacknowledged = false
        }
        flows[own].expectedNumber = header.nextExpectedSequenceNumber
    }

    private mutating func isEncrypted(_ packet: LinkLayerPacket, _ link: Int) -> Bool {
        if packet.capture.isDecrypted { return false }
        if packet.capture.isEncrypted == true { return true }
        return links[link].encryption == .on
    }

    /// Follows the start of encryption and the end of the connection.
    private mutating func trackControl(_ payload: ArraySlice<UInt8>, _ facts: inout FrameFacts, _ link: Int) {
        guard let code = payload.first else { return }
        let opcode = LL.ControlOpcode(rawValue: code)
        if links[link].encryption == .starting {
            switch opcode {
            case .startEncReq where payload.count == 1: startEncryption(link)
            case .rejectInd where payload.count == 2, .rejectExtInd where payload.count == 3:
                links[link].encryption = .off
            case .terminateInd where payload.count == 2: break
            default:
                startEncryption(link)
                facts.notes.insert(.encrypted)
                return
            }
        }
        switch opcode {
        case .encRsp: links[link].encryption = .starting
        case .terminateInd where payload.count == 2:
            let reason = payload[payload.startIndex + 1]
            links[link].connection.reason = reason
        default: break
        }
    }

    private mutating func startEncryption(_ link: Int) {
        links[link].encryption = .on
        links[link].connection.isEncrypted = true
    }
}

extension RawSpan {
    /// A number that other bytes hardly have.
    fileprivate var shortHash: UInt32 {
        var hash = UInt64(byteCount)
        var index = 0
        while index + 8 <= byteCount {
            hash = (hash ^ littleEndian(at: index, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            index += 8
        }
        while index < byteCount {
            hash = (hash ^ UInt64(byte(at: index))) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            index += 1
        }
        return UInt32(truncatingIfNeeded: hash)
    }
}
