import BluetoothCrypto
import PDUTestKit
import Testing

// The encrypted session of Vol 6, Part C, 1.
private let longTermKey = SecretKey(number("4C68384139F574D836BCF34E9DFB01BF"))
private let session = LinkEncryption(
    longTermKey: longTermKey, centralDiversifier: 0xACBD_CEDF_E0F1_0213, peripheralDiversifier: 0x0213_2435_4657_6879,
    centralVector: 0xBADC_AB24, peripheralVector: 0xDEAF_BABE)

@Test func sessionKeyOfTheSpecification() {
    #expect(
        LinkEncryption.sessionKey(
            longTermKey: longTermKey, centralDiversifier: 0xACBD_CEDF_E0F1_0213,
            peripheralDiversifier: 0x0213_2435_4657_6879) == SecretKey(number("99AD1B5226A37E3E058E3B8E27C2C666")))
}

/// One packet of the sample: header, plaintext payload and encrypted payload.
private struct Packet: Sendable {
    var sender: LinkEncryption.Sender
    var counter: UInt64
    var header: UInt8
    var payload: String
    var sealed: String
}

private let packets = [
    Packet(sender: .central, counter: 0, header: 0x0F, payload: "06", sealed: "9fcda7f448"),
    Packet(sender: .peripheral, counter: 0, header: 0x07, payload: "06", sealed: "a34c13a415"),
    Packet(
        sender: .central, counter: 1, header: 0x0E,
        payload: "1700636465666768696a6b6c6d6e6f707131323334353637383930",
        sealed: "7a70d66415226df26b17839a060405596bd6564f796b5b9ce6ff32f75a6d33"),
    Packet(
        sender: .peripheral, counter: 1, header: 0x06,
        payload: "17003736353433323130414243444546474849 4a4b4c4d4e4f5051",
        sealed: "f38881e7bd94c9c369b9a66846dd4786aa8c39ce540d0dae3adcdf89b96088"),
]

@Test(arguments: packets.indices)
func packetsOfTheSpecificationAreSealedAndOpened(index: Int) {
    let packet = packets[index]
    let payload = hex(packet.payload)
    let sealed = session.seal(payload, header: packet.header, counter: packet.counter, from: packet.sender)
    #expect(hexText(sealed) == packet.sealed)
    // NESN, SN and MD may change in transit.
    #expect(
        session.open(sealed, header: packet.header ^ 0x1C, counter: packet.counter, from: packet.sender) == payload)
    var bent = sealed
    bent[0] ^= 1
    #expect(session.open(bent, header: packet.header, counter: packet.counter, from: packet.sender) == nil)
    #expect(session.open(sealed, header: packet.header ^ 1, counter: packet.counter, from: packet.sender) == nil)
    #expect(session.open(sealed, header: packet.header, counter: packet.counter + 1, from: packet.sender) == nil)
    #expect(session.open(Array(sealed.prefix(3)), header: packet.header, counter: 0, from: packet.sender) == nil)
}

/// Payloads of every length survive the round trip, including partial blocks.
@Test func payloadsOfEveryLengthComeBack() {
    let cipher = CCM(key: longTermKey)
    let nonce = [UInt8](repeating: 0x5A, count: CCM.nonceSize)
    for length in 0...67 {
        let message = (0..<length).map { UInt8($0) }
        let sealed = cipher.seal(message, nonce: nonce, associated: 2)
        #expect(sealed.count == length + CCM.codeSize)
        #expect(cipher.open(sealed, nonce: nonce, associated: 2) == message)
    }
}

extension LinkEncryption {
    /// Opens a packet by its MIC alone.
    fileprivate func isAuthentic(_ sealed: [UInt8], header: UInt8, counter: UInt64, from sender: Sender) -> Bool {
        verifies(sealed.span, header: header, counter: counter, from: sender)
    }
}

/// Only an authentic payload is appended; what is in the buffer stays.
@Test(arguments: packets.indices)
func plainTextIsAppendedIfTheMICIsRight(index: Int) {
    let packet = packets[index]
    var sealed = hex(packet.sealed)
    var plain: [UInt8] = [0xAA]
    let isOpened = session.open(
        sealed.span, header: packet.header, counter: packet.counter, from: packet.sender, appendingTo: &plain)
    #expect(isOpened)
    #expect(plain == [0xAA] + hex(packet.payload))
    #expect(session.isAuthentic(sealed, header: packet.header, counter: packet.counter, from: packet.sender))
    let other = packet.sender.other
    #expect(!session.isAuthentic(sealed, header: packet.header, counter: packet.counter, from: other))
    sealed[sealed.count - 1] ^= 0x80
    let isOpenedWithWrongMIC = session.open(
        sealed.span, header: packet.header, counter: packet.counter, from: packet.sender, appendingTo: &plain)
    #expect(!isOpenedWithWrongMIC)
    #expect(plain == [0xAA] + hex(packet.payload))
}

/// A session key and its initialization vector open what the Long Term Key and the diversifiers of both sides do.
@Test func aSessionKeyOpensThePackets() {
    let given = LinkEncryption(
        sessionKey: SecretKey(number("99AD1B5226A37E3E058E3B8E27C2C666")), vector: 0xDEAF_BABE_BADC_AB24)
    let packet = packets[2]
    #expect(
        given.open(hex(packet.sealed), header: packet.header, counter: 1, from: .central) == hex(packet.payload))
}

/// The bits of the header that change when a PDU is sent again are not authenticated; which ones depends on the PDU.
@Test(
    arguments: [
        (LinkEncryption.HeaderMask.connection, 0x1C), (.connectedStream, 0x5C), (.broadcastStream, 0x3C),
    ] as [(LinkEncryption.HeaderMask, UInt8)])
func theHeaderIsAuthenticatedWithoutTheBitsThatChange(mask: LinkEncryption.HeaderMask, changing: UInt8) {
    let stream = LinkEncryption(sessionKey: longTermKey, vector: 0x0102_0304_0506_0708, mask: mask)
    let sealed = stream.seal([1, 2, 3], header: 0, counter: 7, from: .central)
    for bit in 0..<8 as Range<UInt8> {
        let header: UInt8 = 1 << bit
        let isOpened = stream.isAuthentic(sealed, header: header, counter: 7, from: .central)
        #expect(isOpened == (changing & header != 0), "bit \(bit)")
    }
}

/// Counters have 39 bits.
@Test func theHighestCounterIsSealedAndOpened() {
    let highest = LinkEncryption.counterMask
    let sealed = session.seal([1, 2, 3], header: 2, counter: highest, from: .central)
    #expect(session.open(sealed, header: 2, counter: highest, from: .central) == [1, 2, 3])
    #expect(session.open(sealed, header: 2, counter: highest - 1, from: .central) == nil)
    // The bit above is the direction's, which the counter must not reach.
    #expect(session.open(sealed, header: 2, counter: highest, from: .peripheral) == nil)
}
