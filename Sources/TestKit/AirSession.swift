package import Bluetooth
import Bytes
package import Captures

/// A scripted recording of a sniffer on the air, with the pseudo-header of link type 256.
///
///     let air = AirSession()
///     air.advertise(puck, [.completeLocalName("Puck")])
///     let link = air.connect(phone, to: puck)
///     link.discover(layout)
///     link.disconnect()
///     let file = try air.recording.airPcap()
package final class AirSession {
    package let recording = Recording(.air)
    /// Signal strength of the following packets, in dBm.
    package var signal: Int8 = -60
    /// Whether packets have the timing of the air: in a connection event the peripheral responds 150 µs after the
    /// central's packet. Otherwise packets are spaced by the recording's `pace`.
    package var hasExactTimes = false
    /// Whether the sniffer records CRCs; otherwise the field is zero, and no flag states that it was checked.
    package var recordsCRC = true
    /// Start of the next connection event, and of the response to the last packet.
    private var nextEvent = Timestamp(nanoseconds: 0)
    private var nextAnswer = Timestamp(nanoseconds: 0)

    package init() {}

    /// Sets the clock to the time of the next packet in a direction, with `length` bytes of payload.
    fileprivate func setTime(_ direction: Direction, _ length: Int) {
        guard hasExactTimes else { return }
        if direction == .sent {
            recording.time = max(recording.time, nextEvent)
            nextEvent = Timestamp(nanoseconds: recording.time.nanoseconds + 30_000_000)
        } else {
            recording.time = max(recording.time, nextAnswer)
        }
        // Preamble, access address, header and CRC have 10 bytes; a byte takes 8 µs.
        nextAnswer = Timestamp(nanoseconds: recording.time.nanoseconds + Int64(10 + length) * 8000 + 150_000)
    }

    /// Records an advertisement on a primary channel: by default ADV_IND on channel 37.
    package func advertise(
        _ device: DeviceAddress, _ structures: [GAP.AdvertisingStructure], type: LL.AdvertisingType = .advInd,
        channel: UInt8 = 37
    ) {
        let payload = LL.UndirectedAdvertising(
            advertiser: device.address, data: GAP.AdvertisingData(structures).encoded
        ).encoded
        advertising(LL.AdvertisingHeader(type: type, txAdd: device.kind, length: payload.count), payload, channel)
    }

    /// Records SCAN_REQ.
    package func scan(_ scanner: DeviceAddress, _ advertiser: DeviceAddress, channel: UInt8 = 37) {
        let payload = LL.ScanRequest(scanner: scanner.address, advertiser: advertiser.address).encoded
        let header = LL.AdvertisingHeader(
            type: .scanReq, txAdd: scanner.kind, rxAdd: advertiser.kind, length: payload.count)
        advertising(header, payload, channel)
    }

    /// Records a PDU on a primary advertising channel.
    package func advertising(_ header: LL.AdvertisingHeader, _ payload: [UInt8], _ channel: UInt8 = 37) {
        record(
            header.encoded + payload, address: .advertising, crcInit: LL.advertisingCRCInit,
            channel: LL.Channel(rawValue: channel), traffic: 0)
    }

    /// Records the start of a connection: CONNECT_IND.
    package func connect(
        _ central: DeviceAddress, to peripheral: DeviceAddress, accessAddress: UInt32 = 0x50C2_1A97,
        crcInit: UInt32 = 0x3C_5AA5
    ) -> AirLink {
        let payload = LL.ConnectInd(
            initiator: central.address, advertiser: peripheral.address,
            accessAddress: LL.AccessAddress(rawValue: accessAddress), crcInit: crcInit, windowSize: 3, windowOffset: 4,
            interval: 24, latency: 0, timeout: 42, channelMap: ChannelMap(bits: 0x1F_FFFF_FFFF), hop: 7,
            sleepClockAccuracy: LL.SleepClockAccuracy(rawValue: 5)
        ).encoded
        let header = LL.AdvertisingHeader(
            type: .connectInd, txAdd: central.kind, rxAdd: peripheral.kind, length: payload.count)
        advertising(header, payload)
        return resume(accessAddress: accessAddress, crcInit: crcInit)
    }

    /// A connection whose start is not recorded.
    package func resume(accessAddress: UInt32 = 0x50C2_1A97, crcInit: UInt32 = 0x3C_5AA5) -> AirLink {
        AirLink(self, LL.AccessAddress(rawValue: accessAddress), crcInit)
    }

    /// Records a PDU: pseudo-header, access address, PDU, CRC. `traffic` is the pseudo-header's PDU type: 0 advertising
    /// or unknown, 1 auxiliary advertising, 2 from the central, 3 from the peripheral; `auxiliary` is the type of
    /// auxiliary PDU. A damaged PDU keeps the CRC of the undamaged one.
    package func record(
        _ pdu: [UInt8], address: LL.AccessAddress, crcInit: UInt32, channel: LL.Channel, traffic: UInt16,
        auxiliary: UInt16 = 0, isDamaged: Bool = false, isDecrypted: Bool = false
    ) {
        typealias Flags = LL.RadioHeader.Flags
        var flags = Flags.dewhitened | Flags.signalValid | Flags.referenceAccessAddressValid
        if recordsCRC { flags |= Flags.crcChecked | (isDamaged ? 0 : Flags.crcValid) }
        if isDecrypted { flags |= Flags.decrypted | Flags.micChecked | Flags.micValid }
        let header = LL.RadioHeader(
            radioChannel: channel.radioChannel, signal: signal, referenceAccessAddress: address,
            flags: Flags(rawValue: flags | traffic << 7 | auxiliary << 12))
        var heard = pdu
        if isDamaged, let last = heard.popLast() { heard.append(last ^ 0x10) }
        let packet = ByteWriter.bytes { writer in
            header.write(to: &writer)
            writer.write(address)
            writer.write(heard)
            LL.writeCRC(recordsCRC ? LL.crc(of: pdu, initial: crcInit) : 0, to: &writer)
        }
        let pace = recording.pace
        if hasExactTimes { recording.pace = 0 }
        recording.record(packet, traffic == 2 ? .sent : traffic == 3 ? .received : .unknown)
        recording.pace = pace
    }
}

/// One connection on the air. Sequence numbers follow the link layer: a side that has just sent is acknowledged by an
/// empty PDU before it sends again.
package final class AirLink: ScriptedLink {
    package let session: AirSession
    package let accessAddress: LL.AccessAddress
    package let crcInit: UInt32
    /// Fragmentation of the following L2CAP frames into data PDUs.
    package var fragmentation = Fragmentation.every(27)
    package var client = Direction.sent
    package var mtu = 23
    /// Fate of the next data or control PDU.
    package var fate = Fate.received
    /// Whether payloads are encrypted: with `cipher`, else replaced by noise with four more bytes, like ciphertext with a
    /// MIC, which nothing can decrypt.
    package var isEncrypted = false
    /// Encrypts payloads and counts them.
    package var cipher: AirCipher?
    /// How the recorder treats the following encrypted payloads.
    package var decryption = Decryption.none
    /// Whether the sniffer receives packets; the two devices always do.
    package var isHeard = true
    /// Whether the sniffer receives empty PDUs, if it receives packets at all.
    package var hearsEmptyPDUs = true

    private var sequenceNumber: [Direction: UInt8] = [:]
    private var expected: [Direction: UInt8] = [:]
    private var lastPDUs: [Direction: (llid: LL.LLID, payload: [UInt8])] = [:]
    private var lastSender: Direction?
    private var channel: UInt8 = 0
    private var noise: UInt64 = 1

    /// The fate of a PDU.
    package enum Fate: Sendable {
        case received
        /// The sniffer receives it, the peer does not: it is retransmitted.
        case missed
        /// Neither receives it intact: the sniffer records a wrong CRC, and it is retransmitted.
        case damaged
    }

    /// How a recorder treats encrypted payloads.
    package enum Decryption: Sendable {
        /// The recorder has no key.
        case none
        /// The recorder decrypts, but does not set the flag.
        case unflagged
        /// The recorder decrypts and sets the pseudo-header's flag.
        case flagged
    }

    package var recording: Recording { session.recording }

    init(_ session: AirSession, _ accessAddress: LL.AccessAddress, _ crcInit: UInt32) {
        self.session = session
        self.accessAddress = accessAddress
        self.crcInit = crcInit
    }

    package func carry(_ frame: [UInt8], _ direction: Direction) {
        for (index, piece) in fragmentation.pieces(of: frame).enumerated() {
            transmit(index == 0 ? .start : .continuation, Array(piece), direction)
        }
    }

    /// Records a control PDU.
    package func control(_ pdu: some LL.ControlPDU, _ direction: Direction) {
        control(LL.encode(pdu), direction)
    }

    /// Records a control PDU, starting at its opcode.
    package func control(_ bytes: [UInt8], _ direction: Direction) {
        transmit(.control, bytes, direction)
    }

    /// Ends the connection: LL_TERMINATE_IND and its acknowledgement.
    package func disconnect(
        _ direction: Direction = .sent, reason: ControllerError = .remoteUserTerminatedConnection
    ) {
        control(LL.TerminateInd(errorCode: reason), direction)
        acknowledge(direction.opposite)
    }

    /// Advances time with empty PDUs from both sides in each connection event (Vol 6, Part B, 4.5.1).
    package func idle(seconds: Int64) {
        let end = recording.time.nanoseconds + seconds * 1_000_000_000
        if lastSender == .sent { acknowledge(.received) }
        while recording.time.nanoseconds < end {
            acknowledge(.sent)
            acknowledge(.received)
            recording.wait(milliseconds: 15)
        }
    }

    /// Records an empty PDU.
    package func acknowledge(_ direction: Direction) { send(.continuation, [], direction) }

    /// Starts encryption: LL_ENC_REQ to LL_START_ENC_RSP (Vol 6, Part B, 5.1.3.1).
    package func encrypt() {
        control(
            LL.EncReq(
                random: 0x0123_4567_89AB_CDEF, encryptedDiversifier: 0x1A2B,
                sessionKeyDiversifier: 0x1122_3344_5566_7788, initializationVector: 0xAABB_CCDD), .sent)
        control(
            LL.EncRsp(sessionKeyDiversifier: 0x99AA_BBCC_DDEE_FF00, initializationVector: 0x1234_5678), .received)
        control([0x05], .received)
        isEncrypted = true
        control([0x06], .sent)
        control([0x06], .received)
    }

    private func transmit(_ llid: LL.LLID, _ payload: [UInt8], _ direction: Direction) {
        if lastSender == direction || lastSender == nil && direction == .received { acknowledge(direction.opposite) }
        let payload = isEncrypted && decryption == .none ? sealed(llid, payload, direction) : payload
        let fate = fate
        self.fate = .received
        if fate != .received {
            send(llid, payload, direction, fate)
            repeatLast(direction.opposite)
        }
        send(llid, payload, direction)
    }

    private func send(_ llid: LL.LLID, _ payload: [UInt8], _ direction: Direction, _ fate: Fate = .received) {
        let header = LL.DataHeader(
            llid: llid, nextExpectedSequenceNumber: expected[direction, default: 0],
            sequenceNumber: sequenceNumber[direction, default: 0], length: payload.count)
        session.setTime(direction, payload.count)
        if isHeard, hearsEmptyPDUs || !payload.isEmpty {
            session.record(
                header.encoded + payload, address: accessAddress, crcInit: crcInit,
                channel: LL.Channel(rawValue: channel), traffic: direction == .sent ? 2 : 3,
                isDamaged: fate == .damaged,
                isDecrypted: isEncrypted && decryption == .flagged && !payload.isEmpty)
        }
        if fate == .received {
            sequenceNumber[direction, default: 0] ^= 1
            expected[direction.opposite, default: 0] ^= 1
            lastPDUs[direction] = (llid, payload)
        }
        lastSender = direction
        // A connection event ends with the peripheral's response; the next one is seven channels higher.
        if direction == .received { channel = (channel + 7) % 37 }
    }

    /// Retransmits a side's last PDU, which was not acknowledged (Vol 6, Part B, 4.5.9).
    private func repeatLast(_ direction: Direction) {
        guard let last = lastPDUs[direction] else { return acknowledge(direction) }
        sequenceNumber[direction, default: 0] ^= 1
        expected[direction.opposite, default: 0] ^= 1
        send(last.llid, last.payload, direction)
    }

    private func sealed(_ llid: LL.LLID, _ payload: [UInt8], _ direction: Direction) -> [UInt8] {
        cipher?.seal(payload, llid, direction) ?? scrambled(payload)
    }

    private func scrambled(_ payload: [UInt8]) -> [UInt8] {
        (payload + [0, 0, 0, 0]).map { byte in
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return byte ^ UInt8(truncatingIfNeeded: noise >> 56)
        }
    }
}
