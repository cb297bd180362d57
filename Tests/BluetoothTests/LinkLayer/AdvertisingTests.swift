import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// One example of every advertising payload: PDU name, PDU type, context of reception, and payload.
private let examples: [(String, LL.AdvertisingType, LL.AdvertisingContext, [UInt8])] = [
    ("ADV_IND", .advInd, .primary, hex("010203040506 020106")),
    ("ADV_DIRECT_IND", .advDirectInd, .primary, hex("010203040506 0708090a0b0c")),
    ("ADV_NONCONN_IND", .advNonconnInd, .primary, hex("010203040506 020106")),
    ("SCAN_REQ", .scanReq, .primary, hex("010203040506 0708090a0b0c")),
    ("AUX_SCAN_REQ", .scanReq, .auxiliary, hex("010203040506 0708090a0b0c")),
    ("SCAN_RSP", .scanRsp, .primary, hex("010203040506 0309 4142")),
    ("CONNECT_IND", .connectInd, .primary, connect),
    ("AUX_CONNECT_REQ", .connectInd, .auxiliary, connect),
    ("ADV_SCAN_IND", .advScanInd, .primary, hex("010203040506")),
    ("ADV_EXT_IND", .advExtInd, .primary, hex("06 18 3412 05c840")),
    ("AUX_ADV_IND", .advExtInd, .auxiliary, hex("49 09 010203040506 3412 020106")),
    ("AUX_ADV_IND", .advExtInd, .auxiliary, hex("19 68 3412 2340 5000 ffffffffbf 01020304 050607 0809 f4 020106 aa")),
    ("AUX_CHAIN_IND", .advExtInd, .chain, hex("00 020106")),
    ("AUX_SYNC_IND", .advExtInd, .periodic, hex("0b 44 94 f4 0728 ffffffff1f 1000")),
    ("AUX_SCAN_RSP", .advExtInd, .scanResponse, hex("07 01 010203040506 03094142")),
    ("AUX_SYNC_SUBEVENT_IND", .advExtInd, .subevent, hex("01 00 020106")),
    ("AUX_SYNC_SUBEVENT_RSP", .advExtInd, .subeventResponse, hex("01 80 020106")),
    ("AUX_CONNECT_RSP", .auxConnectRsp, .auxiliary, hex("0d 03 010203040506 0708090a0b0c")),
]

private let connect = hex(
    "81b3e8465b63 e34791eada74 f5a6dd92 852f0a 02 0100 2400 0000 f401 ffffffff1f 06")

@Test(arguments: examples)
func advertisingPDUReadsWritesAndSurvivesTruncation(
    name: String, type: LL.AdvertisingType, context: LL.AdvertisingContext, payload: [UInt8]
) throws {
    let row = try #require(type.row(in: context))
    #expect(row.name == name)
    #expect(WireFormatCheck.faults(row.pdu, payload) == [])
    let header = LL.AdvertisingHeader(type: type, length: payload.count)
    let bytes = header.encoded + payload
    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, recorder: recorder)
    let pdu = try #require(try LL.readAdvertising(&reader, in: context))
    #expect(pdu.encoded == payload)
    let typeField = try #require(recorder.fields.first { $0.field.name == "btle.advertising_header.pdu_type" })
    #expect(typeField.field.names?[typeField.value] == name)
    let listed = Set((LL.Fields.all + ChannelMap.bitFields).map(\.name))
    #expect(recorder.fields.map(\.field.name).filter { !listed.contains($0) } == [])
}

@Test func everyAdvertisingPDUHasAnExample() {
    let covered = Set(examples.map(\.0))
    #expect(LL.AdvertisingType.table.map(\.name).filter { !covered.contains($0) } == [])
}

@Test func connectIndTellsTheConnection() throws {
    let pdu = try LL.ConnectInd(decoding: connect)
    #expect(pdu.initiator == Address("63:5b:46:e8:b3:81"))
    #expect(pdu.advertiser == Address("74:da:ea:91:47:e3"))
    #expect(pdu.accessAddress.rawValue == 0x92DD_A6F5)
    #expect(pdu.crcInit == 0x0A2F85)
    #expect([pdu.windowSize, pdu.hop] == [2, 6])
    #expect([pdu.windowOffset, pdu.interval, pdu.latency, pdu.timeout] == [1, 36, 0, 500])
    #expect(pdu.channelMap == .all)
    #expect(pdu.sleepClockAccuracy.name == "251 ppm to 500 ppm")
}

@Test func headerBitsAreNamedByWhatTheTypeUses() throws {
    let frame = Frame(hex("d6be898e a522") + connect + hex("ec6ba9"))
    #expect(frame.error == nil)
    #expect(frame.text("btle.advertising_header.ch_sel") == "#2")
    #expect(frame.text("btle.advertising_header.randomized_tx") == "Public")
    #expect(frame.text("btle.advertising_header.randomized_rx") == "Random")
    #expect(frame.value("btle.advertising_header") == 0x22A5)
    #expect(frame.value("btle.advertising_header.length") == 34)
    #expect(frame.values("btle.length") == [34])
    let advertising = Frame(hex("d6be898e 4009 010203040506 020106 000000"))
    #expect(advertising.value("btle.advertising_header.ch_sel") == 0)
    #expect(advertising.text("btle.advertising_header.randomized_tx") == "Random")
    #expect(advertising.value("btle.advertising_header.rfu.4") == 0)
    #expect(advertising.value("btle.advertising_header.randomized_rx") == nil)
}

@Test func extendedHeaderIsTakenApart() throws {
    let bytes = hex("58 38 3412 85c880 2340 5000 ffffffffbf 01020304 050607 0809 020106")
    let pdu = try LL.ExtendedAdvertising(decoding: bytes)
    #expect(pdu.mode == .connectable)
    #expect(pdu.dataInfo?.dataID == 0x234)
    #expect(pdu.dataInfo?.setID == 1)
    let pointer = try #require(pdu.auxPointer)
    #expect(pointer.channel.rawValue == 5)
    #expect(!pointer.isAccurate)
    #expect(pointer.offset == 0xC8 * 300)
    #expect(pointer.phy == LL.PHY(rawValue: 4))
    let sync = try #require(pdu.syncInfo)
    #expect(sync.offset == 0x23 * 30 + 2_457_600)
    #expect(sync.channelMap == .all)
    #expect(sync.sleepClockAccuracy.rawValue == 5)
    #expect(sync.accessAddress.rawValue == 0x0403_0201)
    #expect(sync.crcInit == 0x070605)
    #expect(sync.eventCounter == 0x0908)
    #expect(pdu.data == hex("020106"))
    #expect(
        LL.SyncInfo(
            offsetBits: sync.offsetBits, interval: sync.interval, channelMap: sync.channelMap,
            sleepClockAccuracy: sync.sleepClockAccuracy, accessAddress: sync.accessAddress, crcInit: sync.crcInit,
            eventCounter: sync.eventCounter) == sync)
}

@Test func fieldsBeyondTheExtendedHeaderAreAnError() {
    let bytes = hex("10 38 3412 85c880 2340 5000 ffffffffbf 01020304 050607 0809 020106")
    let error = #expect(throws: DecodeError.self) {
        try LL.ExtendedAdvertising(decoding: bytes, recorder: FieldRecorder())
    }
    #expect(error?.field == "Access Address")
    #expect(error?.available == 1)
    #expect(error?.lengthSource == "Extended Header Length")
}

@Test func advertisingDataIsHandedOut() throws {
    let bytes = LL.AdvertisingHeader(type: .advExtInd, length: 10).encoded + hex("05 40 f4 020106 03094142")
    var pieces: [[UInt8]] = []
    var reader = ByteReader(bytes.span)
    _ = try LL.readAdvertising(&reader, in: .auxiliary) { data throws(DecodeError) in
        pieces.append(data.readRest(LL.Fields.advertisingData))
        return []
    }
    #expect(pieces == [hex("020106"), hex("03094142")])
}

@Test func unknownAdvertisingTypeIsNoError() throws {
    let frame = Frame(hex("d6be898e 0e02 0102 000000"))
    #expect(frame.error == nil)
    #expect(frame.advertising == nil)
    #expect(frame.recorder.fields.contains { $0.field.name == "btle.unknown_data" && $0.length == 2 })
    #expect(frame.value("btle.crc") == 0)
}

@Test func lengthBeyondThePacketIsTold() {
    let frame = Frame(hex("d6be898e 0020 010203040506 020106 000000"))
    #expect(frame.error?.needed == 32)
    #expect(frame.error?.available == 12)
    let short = Frame(hex("d6be898e 0003 010203 000000"))
    #expect(short.error?.lengthSource == nil || short.error?.lengthSource == "Length")
    #expect(short.error?.field == "Advertising Address")
}

/// Vol 6, Part B, 2.3: ChSel, TxAdd and RxAdd are bits 5, 6 and 7.
@Test(
    arguments: [
        (0x20, true, .public, .public), (0x40, false, .random, .public), (0x80, false, .public, .random),
    ] as [(UInt8, Bool, DeviceAddress.Kind, DeviceAddress.Kind)])
func headerTellsTheKindsOfAddresses(
    bits: UInt8, chSel: Bool, txAdd: DeviceAddress.Kind, rxAdd: DeviceAddress.Kind
) throws {
    let header = try LL.AdvertisingHeader(decoding: [bits, 12])
    #expect(header.chSel == chSel)
    #expect(header.txAdd == txAdd)
    #expect(header.rxAdd == rxAdd)
}
