import Bluetooth
import Bytes
import PDUTestKit
import Testing

private let scanRequest = hex("d6be898e 030c 0102030405060708090a0b0c 000000")
private let emptyPDU = hex("f5a6dd92 0d00 a7c0cf")

@Test func radioHeaderIsRead() throws {
    let frame = Frame(hex("25 c4 80 00 d6be898e 330d") + emptyPDU, .radio)
    #expect(frame.error == nil)
    #expect(frame.capture.channel == LL.Channel(index: 35))
    #expect(frame.capture.signal == -60)
    #expect(frame.capture.noise == nil)
    #expect(frame.capture.accessAddressOffenses == 0)
    #expect(frame.capture.referenceAccessAddress == .advertising)
    #expect(frame.capture.crc == .valid)
    #expect(frame.capture.mic == .unknown)
    #expect(frame.capture.direction == .centralToPeripheral)
    #expect(frame.capture.phy == .le1M)
    #expect(frame.data?.isEmpty == true)
    #expect(frame.value("btle_rf.signal_dbm") == UInt64(truncatingIfNeeded: -60))
    #expect(frame.value("btle_rf.signed_byte_unused") == UInt64(truncatingIfNeeded: -128))
    #expect(frame.value("btle_rf.access_address_offenses") == 0)
    #expect(frame.value("btle_rf.reference_access_address") == 0x8E89_BED6)
    #expect(frame.value("btle_rf.pdu_type") == 2)
    #expect(frame.text("btle_rf.channel") == "2476 MHz, general-purpose channel 35")
    #expect(frame.values("btle.length") == [0])
    #expect(frame.unlisted == [])
}

@Test(
    arguments: [
        (0x0C03, LL.Check.valid, LL.Direction.unknown, LL.Traffic.unspecified),
        (0x0403, .invalid, .unknown, .unspecified),
        (0x0003, .unknown, .unknown, .unspecified),
        (0x0083, .unknown, .unknown, .advertising),
        (0x0103, .unknown, .centralToPeripheral, .data),
        (0x0183, .unknown, .peripheralToCentral, .data),
        (0x0203, .unknown, .centralToPeripheral, .connectedIsochronous),
        (0x0283, .unknown, .peripheralToCentral, .connectedIsochronous),
        (0x0303, .unknown, .unknown, .broadcastIsochronous),
    ] as [(UInt16, LL.Check, LL.Direction, LL.Traffic)])
func radioFlagsAreUnderstood(flags: UInt16, crc: LL.Check, direction: LL.Direction, traffic: LL.Traffic) {
    let header = LL.RadioHeader(
        radioChannel: 1, signal: -40, referenceAccessAddress: .advertising, flags: LL.RadioHeader.Flags(rawValue: flags)
    )
    let capture = LL.CaptureHeader(header)
    #expect(capture.crc == crc)
    #expect(capture.direction == direction)
    #expect(capture.traffic == traffic)
    #expect(capture.channel?.rawValue == 0)
}

@Test func auxiliaryTypeSharesItsBitsWithTheMIC() {
    let frame = Frame(hex("05 c4 80 00 00000000 833c") + scanRequest, .radio)
    #expect(frame.capture.auxiliary == .scanResponse)
    #expect(frame.capture.mic == .unknown)
    #expect(frame.text("btle_rf.aux_pdu_type") == "AUX_SCAN_RSP")
    #expect(frame.value("btle_rf.flags.mic_valid") == nil)
    #expect(frame.text("btle.advertising_header.pdu_type") == "AUX_SCAN_REQ")
    let encrypted = Frame(hex("05 c4 80 00 00000000 0b31") + emptyPDU, .radio)
    #expect(encrypted.capture.mic == .valid)
    #expect(encrypted.capture.isDecrypted)
    #expect(encrypted.capture.isEncrypted == false)
}

@Test(arguments: [
    hex("25 c4 80 00 d6be898e 330d"), hex("00 00 00 00 00000000 0000"), hex("27 ff ff ff ffffffff ffff"),
])
func radioHeaderWritesWhatItReads(bytes: [UInt8]) {
    #expect(WireFormatCheck.faults(LL.RadioHeader.self, bytes) == [])
}

@Test func nordicHeaderIsRead() {
    let frame = Frame(hex("00 1300 03 0201 06 0a 03 23 2c 0500 10000000") + emptyPDU, .nordic)
    #expect(frame.error == nil)
    #expect(frame.capture.channel == LL.Channel(index: 35))
    #expect(frame.capture.signal == -44)
    #expect(frame.capture.crc == .valid)
    #expect(frame.capture.direction == .centralToPeripheral)
    #expect(frame.capture.isEncrypted == nil)
    #expect(frame.capture.mic == .unknown)
    #expect(frame.capture.eventCounter == 5)
    #expect(frame.capture.timestamp == 16)
    #expect(frame.capture.deltaTime == nil)
    #expect(frame.value("nordic_ble.rssi") == UInt64(truncatingIfNeeded: -44))
    #expect(frame.value("nordic_ble.packet_counter") == 0x0102)
    #expect(frame.value("nordic_ble.mic_not_relevant") == 0)
    #expect(frame.text("nordic_ble.direction") == "Central to Peripheral")
    #expect(frame.unlisted == [])
}

@Test func nordicFlagsMeanOtherThingsInAdvertising() {
    let frame = Frame(hex("00 1f00 03 0201 02 0a 05 23 2c 0500 10000000") + scanRequest, .nordic)
    #expect(frame.capture.auxiliary == .periodic)
    #expect(frame.capture.direction == .unknown)
    #expect(frame.capture.eventCounter == nil)
    #expect(frame.text("nordic_ble.aux_type") == "AUX_SYNC_IND")
    #expect(frame.advertising is LL.ScanRequest)
    let primary = Frame(hex("00 1f00 03 0201 02 0a 01 25 2c 0500 10000000") + scanRequest, .nordic)
    #expect(primary.capture.auxiliary == nil)
    #expect(primary.capture.advertisingContext(of: .advExtInd) == .primary)
    let encrypted = Frame(hex("00 1300 02 0201 06 0a 04 23 2c 0500 10000000") + emptyPDU, .nordic)
    #expect(encrypted.capture.crc == .invalid)
    #expect(encrypted.capture.isEncrypted == true)
    #expect(encrypted.capture.mic == .invalid)
    #expect(encrypted.capture.deltaTime == 16)
}

@Test func nordicFlagsEncryptedAndMICTogetherTellOfDecryption() {
    let decrypted = Frame(hex("00 1300 03 0201 06 0a 0d 23 2c 0500 10000000") + emptyPDU, .nordic)
    #expect(decrypted.capture.mic == .valid)
    #expect(decrypted.capture.isDecrypted)
    #expect(decrypted.capture.isEncrypted == false)
}

@Test func codedPacketsHaveACodingIndicator() {
    let coded = Array(scanRequest[..<4]) + [1] + Array(scanRequest[4...])
    let frame = Frame(hex("00 2000 03 0201 02 0a 21 25 2c 0500 10000000") + coded, .nordic)
    #expect(frame.error == nil)
    #expect(frame.packet?.codingIndicator == 1)
    #expect(frame.text("btle.coding_indicator") == "FEC Block 2 coded using S=2")
    #expect(frame.advertising is LL.ScanRequest)
    #expect(frame.packet?.pdu == 22..<36)
    #expect(frame.packet?.payload == 24..<36)
}

@Test(arguments: [
    hex("00 06 35 01 0000 06 0a 01 23 2c 0000 00000000"), hex("00 3500 02 0100 02 0a 01 23 2c 0500 10000000"),
    hex("07 3500 03 0100 06 0a 0f 23 2c 0500 10000000"), hex("07 0601 03 0100 06 0a 0f 23 2c 0500 10000000"),
])
func nordicHeaderWritesWhatItReads(bytes: [UInt8]) {
    #expect(WireFormatCheck.faults(LL.NordicHeader.self, bytes) == [])
}

@Test(arguments: [
    (hex("00 3500 04 0500 06 0a 21 23 2c 0500 10000000"), "Protocol version"),
    (hex("00 3500 00 0500 06 0a 21 23 2c 0500 10000000"), "Protocol version"),
    (hex("00 3500 03 0500 06 0b 21 23 2c 0500 10000000"), "Length of packet"),
])
func unknownNordicHeadersAreRefused(bytes: [UInt8], field: String) {
    let error = #expect(throws: DecodeError.self) { try LL.NordicHeader(decoding: bytes) }
    #expect(error?.field == field)
}

@Test func ppiHeaderIsWalked() {
    let header = hex("00 00 2000 fb000000 0700 0400 01020304 3675 0c00 00 6209 01 10270000 ce c4 ca 05")
    let frame = Frame(header + scanRequest, .ppi)
    #expect(frame.error == nil)
    #expect(frame.capture.channel == LL.Channel(index: 37))
    #expect(frame.capture.signal == -54)
    #expect(frame.advertising is LL.ScanRequest)
    #expect(frame.values("ppi.field_type") == [7, 30006])
    #expect(frame.value("ppi.btle.rssi_max") == UInt64(truncatingIfNeeded: -50))
    #expect(frame.unlisted == [])
    let inner = Frame(hex("00 00 0800 00010000 00 c4 80 00 d6be898e 130c") + scanRequest, .ppi)
    #expect(inner.capture.signal == -60)
    #expect(inner.advertising is LL.ScanRequest)
    // Link type 147, of users, is that of the Link Layer where Ubertooth wrote it.
    let early = Frame(hex("00 00 1800 93000000 3675 0c00 00 6209 01 10270000 ce c4 ca 05") + scanRequest, .ppi)
    #expect(early.value("ppi.btle.rssi_max") == UInt64(truncatingIfNeeded: -50))
    #expect(early.advertising is LL.ScanRequest)
    #expect(Frame(hex("00 00 0800 93000000") + scanRequest, .ppi).error?.field == "DLT")
    let wifi = Frame(hex("00 00 0800 69000000") + scanRequest, .ppi)
    #expect(wifi.error?.field == "DLT")
    let short = Frame(hex("00 00 0700 fb000000") + scanRequest, .ppi)
    #expect(short.error?.field == "Header length")
}

@Test(arguments: [
    hex("00 00 0800 fb000000"), hex("00 00 2000 fb000000 0700 0400 01020304 3675 0c00 00 6209 01 10270000 ce c4 ca 05"),
    hex("00 01 1400 fb000000 0700 0300 010203 00 0600 0000"),
])
func ppiHeaderWritesWhatItReads(bytes: [UInt8]) {
    #expect(WireFormatCheck.faults(LL.PPIHeader.self, bytes) == [])
}

@Test func everyFrameIsReadAtEveryLength() {
    let frames: [([UInt8], LL.CaptureFormat)] = [
        (scanRequest, .bare), (hex("25 c4 80 00 d6be898e 330d") + emptyPDU, .radio),
        (hex("00 1300 03 0201 06 0a 03 23 2c 0500 10000000") + emptyPDU, .nordic),
        (hex("00 00 1800 fb000000 3675 0c00 00 6209 01 10270000 ce c4 ca 05") + scanRequest, .ppi),
        (hex("00 01 1400 fb000000 0700 0300 010203 00 0600 0000") + scanRequest, .ppi),
    ]
    for (bytes, format) in frames {
        for count in bytes.indices {
            let frame = Frame(Array(bytes[..<count]), format)
            #expect(frame.error != nil)
            #expect(frame.error.map { $0.offset <= count } == true)
            #expect(frame.recorder.fields.allSatisfy { Int($0.offset) + Int($0.length) <= count })
        }
    }
}

@Test func anyCaptureHeadersAreRead() {
    var seed: UInt64 = 1
    func next() -> UInt8 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: seed >> 40)
    }
    for round in 0..<4000 {
        let prefix = round.isMultiple(of: 2) ? hex("d6be898e") : hex("f5a6dd92 03")
        let bytes = prefix + (0..<Int(next() % 60)).map { _ in next() }
        for format in [LL.CaptureFormat.bare, .radio, .nordic, .ppi] {
            let frame = Frame(bytes, format)
            #expect(frame.recorder.fields.allSatisfy { Int($0.offset) + Int($0.length) <= bytes.count })
            #expect(frame.error.map { $0.offset <= bytes.count } ?? true)
        }
    }
}

@Test func channelsAreWhereTheyAre() {
    #expect((0..<40).compactMap { LL.Channel(index: $0) }.count == 40)
    for index in 0..<40 {
        let channel = LL.Channel(index: index)
        #expect(channel.flatMap { LL.Channel(radioChannel: $0.radioChannel) } == channel)
        #expect(channel.flatMap { LL.Channel(frequency: UInt16($0.frequency)) } == channel)
    }
    #expect(LL.Channel(index: 37)?.frequency == 2402)
    #expect(LL.Channel(index: 0)?.frequency == 2404)
    #expect(LL.Channel(index: 10)?.frequency == 2424)
    #expect(LL.Channel(index: 38)?.frequency == 2426)
    #expect(LL.Channel(index: 11)?.frequency == 2428)
    #expect(LL.Channel(index: 39)?.frequency == 2480)
    #expect(LL.Channel(index: 40) == nil)
    #expect(LL.Channel(radioChannel: 40) == nil)
    #expect(LL.Channel(frequency: 2403) == nil)
    #expect(LL.Channel(frequency: 2482) == nil)
}

@Test(
    arguments: [
        (.advInd, .primary), (.advNonconnInd, .primary), (.scanRsp, .primary), (.connectInd, .auxiliary),
        (.advExtInd, .chain), (.auxConnectRsp, .auxiliary),
    ] as [(LL.AdvertisingType, LL.AdvertisingContext)])
func anAuxiliaryTypeBelongsToOnePDUType(type: LL.AdvertisingType, context: LL.AdvertisingContext) {
    // The flags of the nRF Sniffer indicate AUX_CHAIN_IND.
    let frame = Frame(hex("00 1f00 03 0201 02 0a 03 0c 2c 0500 10000000") + scanRequest, .nordic)
    #expect(frame.capture.advertisingContext(of: type) == context)
}

@Test func aBlankRadioHeaderHasNoChannel() {
    let blank = Frame(hex("00 00 00 00 00000000 0100") + emptyPDU, .radio)
    #expect(blank.capture.channel == nil)
    let other = Frame(hex("00 c4 80 00 00000000 0100") + emptyPDU, .radio)
    #expect(other.capture.channel?.isPrimary == true)
}

/// What `convert --keys` writes of a packet of link type 251, which has no channel.
@Test func aBlankRadioHeaderOfADecryptedPacketHasNoChannel() {
    let decrypted = Frame(hex("00 00 00 00 00000000 0931") + emptyPDU, .radio)
    #expect(decrypted.capture.channel == nil)
    #expect(decrypted.capture.isDecrypted && decrypted.capture.direction == .centralToPeripheral)
}
