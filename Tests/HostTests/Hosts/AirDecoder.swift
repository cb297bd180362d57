import Bluetooth
import BluetoothCrypto
import Bytes
import Radio
import Testing

/// Decodes the connections of a recording of the air with the keys that the central's host has used.
struct AirDecoder {
    /// A data PDU, decrypted, retransmissions left out.
    struct PDU: Hashable {
        var connection: Int
        var isFromCentral: Bool
        var llid: LL.LLID
        var payload: [UInt8]
        var isEncrypted: Bool

        var isControl: Bool { llid == .control }
    }

    /// State of one direction.
    private struct Sender {
        var sequenceNumber: UInt8?
        var expectedNumber: UInt8 = 0
        /// The last packet, without NESN, SN and MD.
        var last: [UInt8] = []
        var isEncrypted = false
        var counter: UInt64 = 0
    }

    private(set) var pdus: [PDU] = []
    private(set) var connections: [LL.ConnectInd] = []
    private(set) var retransmissions = 0
    private var central = Sender()
    private var peripheral = Sender()
    private var request: LL.EncReq?
    private var cipher: LinkEncryption?
    /// Keys not used yet, in the order of LE Enable Encryption.
    private var keys: [[UInt8]]

    /// - Parameter keys: as in the commands, least significant byte first.
    init(_ packets: [AirPacket], keys: [[UInt8]]) throws {
        self.keys = keys
        for packet in packets {
            switch packet.traffic {
            case .advertising, .secondary: try readAdvertising(packet)
            case .central: try readData(packet, isFromCentral: true)
            case .peripheral: try readData(packet, isFromCentral: false)
            }
        }
    }

    private mutating func readAdvertising(_ packet: AirPacket) throws {
        #expect(packet.accessAddress == .advertising)
        #expect(LL.crc(of: packet.pdu, initial: LL.advertisingCRCInit) == packet.crc)
        let header = try LL.AdvertisingHeader(decoding: Array(packet.pdu[..<2]))
        #expect(header.length == packet.pdu.count - 2)
        guard header.type == .connectInd else { return }
        connections.append(try LL.ConnectInd(decoding: Array(packet.pdu[2...])))
        (central, peripheral, request, cipher) = (Sender(), Sender(), nil, nil)
    }

    private mutating func readData(_ packet: AirPacket, isFromCentral: Bool) throws {
        let connection = try #require(connections.last)
        #expect(packet.accessAddress == connection.accessAddress)
        #expect(LL.crc(of: packet.pdu, initial: connection.crcInit) == packet.crc)
        let header = try LL.DataHeader(decoding: Array(packet.pdu[..<2]))
        #expect(header.length == packet.pdu.count - 2)
        var sender = isFromCentral ? central : peripheral
        let other = isFromCentral ? peripheral : central
        let content = [header.llid.rawValue] + packet.pdu[2...]
        sender.expectedNumber = header.nextExpectedSequenceNumber
        defer { if isFromCentral { central = sender } else { peripheral = sender } }
        if header.sequenceNumber == sender.sequenceNumber {
            // Not acknowledged: the same PDU again.
            #expect(content == sender.last)
            retransmissions += 1
            return
        }
        // A new PDU follows the acknowledgment of the last one.
        #expect(header.sequenceNumber == (sender.sequenceNumber == nil ? 0 : other.expectedNumber))
        sender.sequenceNumber = header.sequenceNumber
        sender.last = content
        var payload = Array(packet.pdu[2...])
        if payload.isEmpty { return }
        let isEncrypted = sender.isEncrypted
        if isEncrypted {
            let opened = cipher?.open(
                payload, header: packet.pdu[0], counter: sender.counter, from: isFromCentral ? .central : .peripheral)
            payload = try #require(
                opened, "packet \(sender.counter) of the \(isFromCentral ? "central" : "peripheral")")
            sender.counter += 1
        }
        pdus.append(
            PDU(
                connection: connections.count, isFromCentral: isFromCentral, llid: header.llid, payload: payload,
                isEncrypted: isEncrypted))
        if header.llid == .control { try follow(payload, isFromCentral) }
    }

    /// Follows the encryption procedures (Vol 6, Part B, 5.1.3).
    private mutating func follow(_ pdu: [UInt8], _ isFromCentral: Bool) throws {
        switch LL.ControlOpcode(rawValue: pdu[0]) {
        case .encReq: request = try LL.EncReq(decoding: Array(pdu.dropFirst()))
        case .encRsp:
            let request = try #require(request)
            let response = try LL.EncRsp(decoding: Array(pdu.dropFirst()))
            try #require(!keys.isEmpty)
            cipher = LinkEncryption(
                longTermKey: SecretKey(wireBytes: keys.removeFirst()),
                centralDiversifier: request.sessionKeyDiversifier,
                peripheralDiversifier: response.sessionKeyDiversifier, centralVector: request.initializationVector,
                peripheralVector: response.initializationVector)
        case .startEncReq: (central.isEncrypted, central.counter) = (true, 0)
        case .startEncRsp where isFromCentral: (peripheral.isEncrypted, peripheral.counter) = (true, 0)
        case .pauseEncRsp:
            if isFromCentral { peripheral.isEncrypted = false } else { central.isEncrypted = false }
        default: break
        }
    }
}
