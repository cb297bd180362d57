import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// Example parameters for every struct: from captures, and from the layouts of the specification.
private let examples: [(any HCI.Parameters.Type, [UInt8])] = [
    (HCI.Disconnect.self, hex("4000 13")),
    (HCI.SetEventMask.self, hex("ff ff ff ff ff ff bf 3d")),
    (HCI.Reset.self, []),
    (HCI.ReadBDADDR.self, []),
    (HCI.ReadBDADDR.Returned.self, hex("00 5544332211c0")),
    (HCI.LESetEventMask.self, hex("ff ff 0f 00 00 00 00 00")),
    (HCI.LEReadBufferSize.self, []),
    (HCI.LEReadBufferSize.Returned.self, hex("00 fb00 40")),
    (HCI.LESetRandomAddress.self, hex("5544332211c0")),
    (HCI.LESetAdvertisingParameters.self, hex("a000 f000 00 01 00 000000000000 07 00")),
    (HCI.LESetAdvertisingData.self, hex("03 020106" + String(repeating: "00", count: 28))),
    (HCI.LESetScanResponseData.self, hex("05 04094142 43" + String(repeating: "00", count: 26))),
    (HCI.LESetAdvertisingEnable.self, hex("01")),
    (HCI.LESetScanParameters.self, hex("01 6000 3000 01 00")),
    (HCI.LESetScanEnable.self, hex("01 00")),
    (HCI.LECreateConnection.self, hex("6000 3000 00 00 b4a3c4aa6f24 00 1800 2800 0000 5802 0000 0000")),
    (HCI.LECreateConnectionCancel.self, []),
    (HCI.LEConnectionUpdate.self, hex("4000 0600 0c00 0400 c800 0000 0000")),
    (HCI.LEEnableEncryption.self, hex("4000 0102030405060708 3412 000102030405060708090a0b0c0d0e0f")),
    (
        HCI.LEAddDeviceToResolvingList.self,
        hex("00 b4a3c4aa6f24 000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f")
    ),
    (HCI.LELongTermKeyRequestReply.self, hex("4000 000102030405060708090a0b0c0d0e0f")),
    (HCI.LELongTermKeyRequestNegativeReply.self, hex("4000")),
    (HCI.LESetDataLength.self, hex("4000 fb00 4808")),
    (HCI.ConnectionComplete.self, hex("00 0b00 b4a3c4aa6f24 01 00")),
    (HCI.DisconnectionComplete.self, hex("00 4000 16")),
    (HCI.EncryptionChange.self, hex("00 4000 01")),
    (HCI.CommandComplete.self, hex("01 030c 00")),
    (HCI.CommandStatus.self, hex("00 01 0d20")),
    (HCI.NumberOfCompletedPackets.self, hex("02 4000 0100 4100 0200")),
    (HCI.LEConnectionComplete.self, hex("00 4000 00 00 b4a3c4aa6f24 1800 0000 5802 01")),
    (HCI.LEAdvertisingReport.self, hex("02 00 00 b4a3c4aa6f24 03 020106 d5 04 01 b4a3c4aa6fe4 00 7f")),
    (HCI.LEConnectionUpdateComplete.self, hex("00 4000 0600 0400 c800")),
    (HCI.LELongTermKeyRequest.self, hex("4000 0102030405060708 3412")),
    (HCI.LERemoteConnectionParameterRequest.self, hex("4000 0600 0c00 0400 c800")),
    (HCI.LEDataLengthChange.self, hex("4000 fb00 4808 fb00 4808")),
    (
        HCI.LEEnhancedConnectionComplete.self,
        hex("00 4000 01 02 b4a3c4aa6f24 554433221140 000000000000 1800 0000 5802 05")
    ),
    (HCI.LEPHYUpdateComplete.self, hex("00 4000 02 02")),
    (
        HCI.LEExtendedAdvertisingReport.self,
        hex(
            """
            02
            1300 01 aabbccddeec0 01 00 ff 7f d5 0000 00 000000000000 03 020106
            2100 00 b4a3c4aa6f24 01 02 05 f6 c8 5000 01 a1a2a3a4a5a6 05 04ff4c0010
            """)
    ),
    (
        HCI.LEEnhancedConnectionCompleteV2.self,
        hex("00 4000 01 02 b4a3c4aa6f24 554433221140 000000000000 1800 0000 5802 05 01 ffff")
    ),
    (
        // A step of each mode, with one antenna path: mode 0 by an initiator, mode 3 with a sounding sequence.
        HCI.LECSSubeventResult.self,
        hex(
            """
            4000 01 3500 0200 00c0 ed 01 01 00 01 04
            00 02 05 00 d8 01 3412
            01 05 06 10 02 d7 f0ff 01
            02 10 09 00 230114 00 ff0f00 13
            03 11 17 00 ff d6 0080 01 01020300 04050600 00 230114 00 ff0f00 13
            """)
    ),
    (HCI.LECSSubeventResultContinue.self, hex("4000 01 00 0f 20 00 01 00 02 03 00 d8 01")),
]

@Test(arguments: examples.indices)
func structReadsWritesAndSurvivesTruncation(index: Int) {
    let (type, bytes) = examples[index]
    #expect(WireFormatCheck.faults(type, bytes) == [])
}

@Test func everyStructInATableHasAnExample() {
    let covered = Set(examples.map { ObjectIdentifier($0.0) })
    for layout in Layout.all {
        for case .parameters(let type) in layout.parameters {
            #expect(covered.contains(ObjectIdentifier(type)), "\(layout.name)")
        }
    }
}

@Test(arguments: examples.indices)
func structsRecordOnlyKnownFields(index: Int) throws {
    let known = Set(HCI.Fields.all)
    let (type, bytes) = examples[index]
    let recorder = FieldRecorder()
    _ = try type.init(decoding: bytes, recorder: recorder)
    for field in recorder.fields {
        #expect(known.contains(field.field), "\(type): \(field.field.name)")
    }
}

@Test func structsAndTablesNameTheSameCommand() {
    for row in HCI.CommandRow.table.rows {
        for case .parameters(let type as any HCI.Command.Type) in row.parameters { #expect(type.opcode == row.opcode) }
    }
    for row in HCI.EventRow.table.rows {
        for case .parameters(let type as any HCI.Event.Type) in row.parameters { #expect(type.code == row.code) }
    }
    for row in HCI.LEEventRow.table.rows {
        for case .parameters(let type as any HCI.LEEvent.Type) in row.parameters {
            #expect(type.subevent == row.subevent)
        }
    }
}

@Test func connectionCompleteTellsWhoIsConnected() throws {
    let event = try HCI.LEConnectionComplete(
        decoding: hex("00 4000 01 01 b4a3c4aa6fe4 1800 0400 5802 05"))
    #expect(event.status == .success)
    #expect(event.handle == ConnectionHandle(0x40))
    #expect(event.role == .peripheral)
    #expect(event.peerType == .randomDevice)
    #expect(event.peer == Address("e4:6f:aa:c4:a3:b4"))
    #expect(event.interval == 24)
    #expect(event.latency == 4)
    #expect(event.supervisionTimeout == 600)
    #expect(event.centralClockAccuracy == 5)
}

@Test func extendedReportTakesAllItsPartsApart() throws {
    let event = try HCI.LEExtendedAdvertisingReport(
        decoding: hex("01 2100 00 b4a3c4aa6f24 01 02 05 f6 c8 5000 01 a1a2a3a4a5a6 05 04ff4c0010"))
    let report = try #require(event.reports.first)
    #expect(report.eventType == 0x21)
    #expect(report.address == Address("24:6f:aa:c4:a3:b4"))
    #expect(report.primaryPHY == .le1M)
    #expect(report.secondaryPHY == .le2M)
    #expect(report.sid == 5)
    #expect(report.txPower == -10)
    #expect(report.rssi == -56)
    #expect(report.periodicInterval == 0x50)
    #expect(report.directType == .randomDevice)
    #expect(report.direct == Address("a6:a5:a4:a3:a2:a1"))
    #expect(report.data == hex("04ff4c0010"))
}

@Test func addressTypesTellPublicFromRandom() {
    #expect(HCI.AddressType.publicIdentity.kind == .public)
    #expect(HCI.AddressType.randomIdentity.kind == .random)
    #expect(HCI.AddressType.anonymous.kind == nil)
    #expect(HCI.AddressType(rawValue: 0x77).name == nil)
}

@Test func aDataLengthBeyondTheRoomIsNamed() throws {
    #expect {
        try HCI.LESetAdvertisingData(decoding: [32] + [UInt8](repeating: 0, count: 31))
    } throws: { error in
        let error = error as? DecodeError
        return error?.field == "Data Length" && error?.offset == 0
    }
}

@Test func structsWriteWholePackets() {
    #expect(
        HCI.encode(HCI.Disconnect(handle: ConnectionHandle(0x40), reason: .remoteUserTerminatedConnection))
            == hex("0604 03 4000 13"))
    #expect(
        HCI.encode(HCI.DisconnectionComplete(handle: ConnectionHandle(0x40), reason: .connectionTerminatedByLocalHost))
            == hex("05 04 00 4000 16"))
    #expect(
        HCI.encode(HCI.LEPHYUpdateComplete(handle: ConnectionHandle(0x40), txPHY: .le2M, rxPHY: .le1M))
            == hex("3e 06 0c 00 4000 02 01"))
}
