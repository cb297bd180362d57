import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import TestKit

/// A connection on the air whose payloads are encrypted with a known Long Term Key, from LL_START_ENC_REQ on
/// (Vol 6, Part B, 5.1.3). The key and the values of both sides are those of Vol 6, Part C, 1.
final class SealedLink {
    static let longTermKey = SecretKey(0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF)

    let air: AirSession
    private let address: UInt32 = 0x50C2_1A97
    static let crcInit: UInt32 = 0x3C_5AA5
    private let encryption = LinkEncryption(
        longTermKey: longTermKey, centralDiversifier: 0xACBD_CEDF_E0F1_0213,
        peripheralDiversifier: 0x0213_2435_4657_6879, centralVector: 0xBADC_AB24, peripheralVector: 0xDEAF_BABE)
    private var isEncrypted = false
    /// Packets with a MIC sent by the central and by the peripheral.
    private var counters: (sent: UInt64, received: UInt64) = (0, 0)
    /// Number of PDUs sent so far by each side, without retransmissions: its lowest bit is the sequence number.
    private var event: UInt8 = 0

    init(_ air: AirSession = AirSession()) {
        self.air = air
        _ = air.connect(Cast.phone, to: Cast.puck, accessAddress: address, crcInit: Self.crcInit)
    }

    /// Starts encryption.
    func encrypt() {
        exchange(
            control: LL.encode(
                LL.EncReq(
                    random: 0, encryptedDiversifier: 0, sessionKeyDiversifier: 0xACBD_CEDF_E0F1_0213,
                    initializationVector: 0xBADC_AB24)),
            LL.encode(
                LL.EncRsp(sessionKeyDiversifier: 0x0213_2435_4657_6879, initializationVector: 0xDEAF_BABE)))
        exchange(control: [], [0x05])
        isEncrypted = true
        exchange(control: [0x06], [0x06])
    }

    /// One connection event with a control PDU of each side; an empty one where there are no bytes.
    func exchange(control sent: [UInt8], _ received: [UInt8]) {
        exchange((.control, sent), (.control, received))
    }

    /// The fragments of an L2CAP PDU, each in an event of its own.
    func carry(_ pdu: [UInt8], _ direction: Direction, every size: Int = 27, isRepeated: Bool = false) {
        for start in stride(from: 0, to: pdu.count, by: size) {
            let fragment = Array(pdu[start..<min(start + size, pdu.count)])
            let llid = start == 0 ? LL.LLID.start : .continuation
            if direction == .sent {
                exchange((llid, fragment), (.continuation, []), isRepeated: isRepeated)
            } else {
                exchange((.continuation, []), (llid, fragment), isRepeated: isRepeated)
            }
        }
    }

    /// One connection event; `isRepeated` has a second one in which both sides send their PDUs again.
    private func exchange(
        _ sent: (llid: LL.LLID, payload: [UInt8]), _ received: (llid: LL.LLID, payload: [UInt8]),
        isRepeated: Bool = false
    ) {
        let number = event & 1
        let pdus = [
            (pdu(sent, sequence: number, expected: number, from: .central), 2 as UInt16),
            (pdu(received, sequence: number, expected: number ^ 1, from: .peripheral), 3),
        ]
        // In the second event, the peripheral's PDU was missed.
        for (pdu, traffic) in isRepeated ? pdus + pdus : pdus {
            air.record(
                pdu, address: LL.AccessAddress(rawValue: address), crcInit: Self.crcInit,
                channel: LL.Channel(rawValue: 7), traffic: traffic)
        }
        event &+= 1
    }

    private func pdu(
        _ content: (llid: LL.LLID, payload: [UInt8]), sequence: UInt8, expected: UInt8,
        from sender: LinkEncryption.Sender
    ) -> [UInt8] {
        let isSealed = isEncrypted && !content.payload.isEmpty
        let llid = content.payload.isEmpty ? LL.LLID.continuation : content.llid
        let header = LL.DataHeader(
            llid: llid, nextExpectedSequenceNumber: expected, sequenceNumber: sequence,
            length: content.payload.count + (isSealed ? CCM.codeSize : 0))
        guard isSealed else { return header.encoded + content.payload }
        let counter = sender == .central ? counters.sent : counters.received
        if sender == .central { counters.sent += 1 } else { counters.received += 1 }
        return header.encoded
            + encryption.seal(content.payload, header: header.encoded[0], counter: counter, from: sender)
    }
}
