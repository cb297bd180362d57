import Bluetooth
import Bytes

/// The packets of an advertising event with the requests and responses to it (Vol 6, Part B, 4.4.2).
struct AirAdvertising: Sendable {
    /// A packet without its time.
    struct Packet: Sendable {
        var channel: UInt8
        var phy: HCI.PHY
        var traffic: AirPacket.Traffic
        var pdu: [UInt8]
        /// Index of the sending controller.
        var sender: Int
        /// Transmit power, in dBm.
        var power: Int8
    }

    let advertisement: Advertisement
    /// Secondary channel of the event's auxiliary packets, 0 to 36.
    let secondaryChannel: UInt8
    /// The primary channels on which the current listener's scanner and initiator listen.
    var scannerChannel: UInt8 = 37
    var initiatorChannel: UInt8 = 37
    /// Requests and responses, in order; of legacy advertising, by primary channel.
    private var exchanges: [[Packet]] = [[], [], []]
    /// Index of the channel with the accepted connection request, which ends the event.
    private var last: Int?

    private var isLegacy: Bool { advertisement.properties.contains(.legacy) }
    /// PHY of requests and responses.
    private var phy: HCI.PHY { isLegacy ? .le1M : advertisement.secondaryPHY }

    init(_ advertisement: Advertisement, secondaryChannel: UInt8) {
        self.advertisement = advertisement
        self.secondaryChannel = secondaryChannel
    }

    /// Adds a packet on the channel on which the listener has received the advertisement.
    mutating func append(
        _ pdu: [UInt8], listenerChannel: UInt8, context: LL.AdvertisingContext = .auxiliary, sender: Int, power: Int8
    ) {
        exchanges[isLegacy ? Int(listenerChannel - 37) : 0].append(
            Packet(
                channel: isLegacy ? listenerChannel : secondaryChannel, phy: phy,
                traffic: isLegacy ? .advertising : .secondary(context), pdu: pdu, sender: sender, power: power))
    }

    /// Adds the fragments of a scan response.
    mutating func append(responseOf response: Advertisement, listenerChannel: UInt8) {
        let sender = response.source.controller
        if isLegacy {
            append(Self.scanResponse(response), listenerChannel: listenerChannel, sender: sender, power: response.power)
            return
        }
        for packet in fragments(of: response, isResponse: true) { exchanges[0].append(packet) }
    }

    /// Ends the event with the last packet added: the advertiser has accepted a connection request.
    mutating func end(listenerChannel: UInt8) { last = isLegacy ? Int(listenerChannel - 37) : 0 }

    // MARK: - The event

    /// Time between an advertising packet and the next one on a primary channel, in nanoseconds.
    private static let primaryGap = 300 * Span.microsecond
    /// T_MAFS: minimum time between a packet with an AuxPtr and the packet that it points to, in nanoseconds.
    static let minimumAuxiliaryGap = 300 * Span.microsecond

    /// All packets with their times in nanoseconds from the start of the first one, and the duration of the event.
    func packets() -> (packets: [(time: Int64, packet: Packet)], duration: Int64) {
        var result: [(time: Int64, packet: Packet)] = []
        var time: Int64 = 0
        func add(_ packet: Packet, after gap: Int64) {
            if !result.isEmpty { time += gap }
            result.append((time, packet))
            time += Self.duration(packet)
        }
        let channels = (0..<3).filter { advertisement.channels >> UInt8($0) & 1 == 1 }
        if isLegacy {
            for channel in channels {
                add(primary(UInt8(37 + channel), Self.legacyPDU(advertisement)), after: Self.primaryGap)
                for packet in exchanges[channel] { add(packet, after: AirTime.interFrameSpace) }
                if last == channel { break }
            }
            return (result, time)
        }
        let fragments = fragments(of: advertisement, isResponse: false)
        // The length of ADV_EXT_IND does not depend on its AuxPtr.
        let step = Self.duration(primary(37, extendedPDU(offset: 0))) + Self.primaryGap
        let auxiliary = Int64(channels.count) * step - Self.primaryGap + Self.minimumAuxiliaryGap
        for (index, channel) in channels.enumerated() {
            add(
                primary(UInt8(37 + channel), extendedPDU(offset: auxiliary - Int64(index) * step)),
                after: Self.primaryGap)
        }
        for packet in fragments { add(packet, after: Self.minimumAuxiliaryGap) }
        for packet in exchanges[0] {
            let isChained = packet.traffic == .secondary(.chain)
            add(packet, after: isChained ? Self.minimumAuxiliaryGap : AirTime.interFrameSpace)
        }
        return (result, time)
    }

    private func primary(_ channel: UInt8, _ pdu: [UInt8]) -> Packet {
        Packet(
            channel: channel, phy: isLegacy ? .le1M : advertisement.primaryPHY, traffic: .advertising, pdu: pdu,
            sender: advertisement.source.controller, power: advertisement.power)
    }

    /// Air time of a packet, in nanoseconds.
    static func duration(_ packet: Packet) -> Int64 {
        AirTime.nanoseconds(payload: packet.pdu.count - 2, encrypted: false, on: packet.phy)
    }

    /// ADV_EXT_IND, `offset` nanoseconds before its AUX_ADV_IND.
    private func extendedPDU(offset: Int64) -> [UInt8] {
        Self.pdu(
            LL.ExtendedAdvertising(
                mode: Self.mode(advertisement), dataInfo: Self.dataInfo(advertisement),
                auxPointer: auxPointer(offset: offset)), .advExtInd)
    }

    private func auxPointer(offset: Int64) -> LL.AuxPointer {
        // Offset units of 30 µs, or of 300 µs where 13 bits of these do not suffice.
        let units = max(0, offset) / (30 * Span.microsecond)
        let isLong = units > 0x1FFF
        return LL.AuxPointer(
            channelBits: secondaryChannel | (isLong ? 0x80 : 0),
            offsetBits: UInt16(min(isLong ? units / 10 : units, 0x1FFF)) | UInt16(LL.PHY(phy).rawValue) << 13)
    }

    /// Advertising data in one PDU, in bytes: the rest of 255 bytes may be the extended header.
    private static let fragmentSize = 235

    /// AUX_ADV_IND or AUX_SCAN_RSP, and the AUX_CHAIN_IND after it.
    private func fragments(of advertisement: Advertisement, isResponse: Bool) -> [Packet] {
        let isScannable = advertisement.properties.contains(.scannable)
        // Scannable advertising has its data in the response.
        let data = isScannable && !isResponse ? [] : advertisement.data
        let starts = data.isEmpty ? [0] : Array(stride(from: 0, to: data.count, by: Self.fragmentSize))
        return starts.enumerated().map { index, start in
            let isLast = index == starts.count - 1
            let context: LL.AdvertisingContext =
                index > 0 ? .chain : isResponse ? .scanResponse : .auxiliary
            var payload = LL.ExtendedAdvertising(
                mode: index > 0 || isResponse ? .nonconnectableNonscannable : Self.mode(advertisement),
                dataInfo: Self.dataInfo(advertisement),
                data: Array(data[start..<min(start + Self.fragmentSize, data.count)]))
            if index == 0 {
                payload.advertiser = advertisement.advertiser?.address
                payload.target = isResponse ? nil : advertisement.target?.address
            }
            if advertisement.properties.contains(.includesPower) { payload.txPower = advertisement.power }
            var packet = Packet(
                channel: secondaryChannel, phy: phy, traffic: .secondary(context), pdu: [],
                sender: advertisement.source.controller, power: advertisement.power)
            if !isLast { payload.auxPointer = auxPointer(offset: 0) }
            packet.pdu = Self.pdu(payload, .advExtInd, advertisement.advertiser, advertisement.target)
            if !isLast {
                // The length is known only now.
                payload.auxPointer = auxPointer(offset: Self.duration(packet) + Self.minimumAuxiliaryGap)
                packet.pdu = Self.pdu(payload, .advExtInd, advertisement.advertiser, advertisement.target)
            }
            return packet
        }
    }
}

/// The PDUs (Vol 6, Part B, 2.3).
extension AirAdvertising {
    /// A PDU with its header; the kinds of addresses that it does not contain are not stated.
    static func pdu(
        _ payload: LL.ExtendedAdvertising, _ type: LL.AdvertisingType, _ advertiser: DeviceAddress? = nil,
        _ target: DeviceAddress? = nil
    ) -> [UInt8] {
        pdu(
            payload, type, from: payload.advertiser == nil ? nil : advertiser,
            to: payload.target == nil ? nil : target)
    }

    static func pdu(
        _ payload: some WireFormat, _ type: LL.AdvertisingType, chSel: Bool = false, from sender: DeviceAddress?,
        to target: DeviceAddress? = nil
    ) -> [UInt8] {
        let bytes = payload.encoded
        let header = LL.AdvertisingHeader(
            type: type, chSel: chSel, txAdd: sender?.kind ?? .public, rxAdd: target?.kind ?? .public,
            length: bytes.count)
        return header.encoded + bytes
    }

    /// ADV_IND, ADV_DIRECT_IND, ADV_SCAN_IND or ADV_NONCONN_IND.
    private static func legacyPDU(_ advertisement: Advertisement) -> [UInt8] {
        let advertiser = advertisement.advertiser ?? DeviceAddress(Address(value: 0), .public)
        let isConnectable = advertisement.properties.contains(.connectable)
        let chSel = isConnectable && advertisement.supportsAlgorithm2
        if let target = advertisement.target {
            return pdu(
                LL.DirectedAdvertising(advertiser: advertiser.address, target: target.address), .advDirectInd,
                chSel: chSel, from: advertiser, to: target)
        }
        let isScannable = advertisement.properties.contains(.scannable)
        let type: LL.AdvertisingType = isConnectable ? .advInd : isScannable ? .advScanInd : .advNonconnInd
        return pdu(
            LL.UndirectedAdvertising(advertiser: advertiser.address, data: advertisement.data), type, chSel: chSel,
            from: advertiser)
    }

    private static func scanResponse(_ response: Advertisement) -> [UInt8] {
        let advertiser = response.advertiser ?? DeviceAddress(Address(value: 0), .public)
        return pdu(
            LL.ScanResponse(advertiser: advertiser.address, data: response.data), .scanRsp, from: advertiser)
    }

    private static func mode(_ advertisement: Advertisement) -> LL.AdvertisingMode {
        if advertisement.properties.contains(.connectable) { return .connectable }
        return advertisement.properties.contains(.scannable) ? .scannable : .nonconnectableNonscannable
    }

    private static func dataInfo(_ advertisement: Advertisement) -> LL.AdvertisingDataInfo {
        LL.AdvertisingDataInfo(rawValue: advertisement.dataID & 0x0FFF | UInt16(advertisement.setID & 0x0F) << 12)
    }
}
