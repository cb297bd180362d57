import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// One example of every PDU, opcode first.
private let examples: [(String, [UInt8])] = [
    ("Error Response", hex("01 08 2c00 0a")),
    ("Exchange MTU Request", hex("02 0502")),
    ("Exchange MTU Response", hex("03 f700")),
    ("Find Information Request", hex("04 1c00 1c00")),
    ("Find Information Response", hex("05 01 1c00 0229 1d00 0328")),
    ("Find Information Response", hex("05 02 1d00 020000000000002d657461766b61756f")),
    ("Find By Type Value Request", hex("06 0100 ffff 0028 0f18")),
    ("Find By Type Value Response", hex("07 1500 1800 1900 2d00")),
    ("Read By Type Request", hex("08 0100 ffff 0328")),
    ("Read By Type Request", hex("08 0100 ffff 020000000000002d657461766b61756f")),
    ("Read By Type Response", hex("09 07 0200 02 0300 002a 0400 02 0500 012a")),
    ("Read Request", hex("0a 1b00")),
    ("Read Response", hex("0b 0102030405")),
    ("Read Blob Request", hex("0c 1b00 1600")),
    ("Read Blob Response", hex("0d 0102030405")),
    ("Read Multiple Request", hex("0e 1b00 1c00")),
    ("Read Multiple Response", hex("0f 0102030405")),
    ("Read By Group Type Request", hex("10 0100 ffff 0028")),
    ("Read By Group Type Response", hex("11 06 0100 0700 0018 0800 0b00 0118")),
    ("Write Request", hex("12 1c00 0100")),
    ("Write Response", hex("13")),
    ("Prepare Write Request", hex("16 1c00 1200 0102")),
    ("Prepare Write Response", hex("17 1c00 1200 0102")),
    ("Execute Write Request", hex("18 01")),
    ("Execute Write Response", hex("19")),
    ("Handle Value Notification", hex("1b 1b00 01020304")),
    ("Handle Value Indication", hex("1d 0a00 0100ffff")),
    ("Handle Value Confirmation", hex("1e")),
    ("Read Multiple Variable Request", hex("20 1b00 1c00")),
    ("Read Multiple Variable Response", hex("21 0200 0102 0100 03")),
    ("Multiple Handle Value Notification", hex("23 1b00 0200 0102 1d00 0100 03")),
    ("Write Command", hex("52 2000 02000000")),
    ("Signed Write Command", hex("d2 2000 0102 01000000 1122334455667788")),
]

@Test(arguments: examples)
func pduReadsWritesAndSurvivesTruncation(name: String, bytes: [UInt8]) throws {
    let row = try #require(ATT.Opcode.table[ATT.Opcode(rawValue: bytes[0])])
    #expect(row.name == name)
    #expect(WireFormatCheck.faults(row.pdu, Array(bytes.dropFirst())) == [])
}

@Test func everyATTOpcodeHasAnExample() {
    let covered = Set(examples.map { ATT.Opcode(rawValue: $0.1[0]) })
    #expect(ATT.Opcode.table.rows.map(\.opcode).filter { !covered.contains($0) } == [])
}

// MARK: - Rows

@Test(arguments: examples)
func rowAgreesWithTheBytes(name: String, bytes: [UInt8]) throws {
    let row = try #require(ATT.Opcode.table[ATT.Opcode(rawValue: bytes[0])])
    if let length = row.length {
        #expect(length.contains(bytes.count))
        #expect(!length.contains(length.shortest - 1))
        #expect(length.longest == .max || !length.contains(length.longest + 1))
    }
    if let entries = row.entries {
        let size = entries.bytes(bytes[1])
        #expect(size > 0 && (bytes.count - 2) % size == 0)
        #expect(entries.bytes(0) == 0)
    }
    #expect(row.length == nil || row.entries == nil)

    let recorder = FieldRecorder()
    var reader = ByteReader(bytes.span, recorder: recorder)
    try ATT.record(&reader)
    func offset(of field: Field) -> Int? { recorder.fields.first { $0.field == field }.map { Int($0.offset) } }
    // The value in Find By Type Value Request is a search key.
    let isAlone = !row.shape.listsValues && row.entries == nil && row.shape.handle != .range
    if isAlone {
        #expect(row.shape.valueOffset == offset(of: ATT.Fields.value))
    }
    switch row.shape.handle {
    case .one: #expect(offset(of: ATT.Fields.handle) == 1)
    case .range:
        #expect(offset(of: ATT.Fields.startingHandle) == 1)
        #expect(offset(of: ATT.Fields.endingHandle) == 3)
    case .none: #expect(offset(of: ATT.Fields.startingHandle) == nil)
    }
}

@Test func everyTransactionHasItsResponse() {
    let rows = ATT.Opcode.table.rows
    for row in rows {
        switch row.shape.kind {
        case .request: #expect(row.shape.response.flatMap { ATT.Opcode.table[$0]?.shape.kind } == .response)
        case .indication: #expect(row.shape.response == .handleValueConfirmation)
        case .response, .confirmation:
            let asking = rows.filter { $0.shape.response == row.opcode }
            #expect(asking.count == (row.opcode == .errorResponse ? 0 : 1), "\(row.name)")
        case .command, .notification: #expect(row.shape.response == nil)
        }
        // Vol 3, Part F, 3.3.1: the command flag is bit 6.
        #expect(row.opcode.isCommand == (row.shape.kind == .command))
    }
}

/// PDUs, by the operation of the characteristic properties that permits them (Vol 3, Part G, 3.3.1.1).
@Test func valuesGoWithTheirOperation() {
    let operations: [ATT.ValueOperation: [ATT.Opcode]] = [
        .read: [
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse,
            .readMultipleVariableResponse,
        ],
        .write: [.writeRequest, .executeWriteRequest, .executeWriteResponse, .writeCommand, .signedWriteCommand],
        .notify: [.handleValueNotification, .multipleHandleValueNotification],
        .indicate: [.handleValueIndication],
    ]
    for operation in ATT.ValueOperation.allCases {
        let opcodes = ATT.Opcode.table.rows.filter { $0.shape.operation == operation }.map(\.opcode)
        #expect(opcodes == operations[operation])
    }
}

/// 16-bit types have format 1, 128-bit types format 2 (Vol 3, Part F, 3.4.3.2).
@Test func findInformationHasTheFormatOfItsTypes() throws {
    let short = ATT.FindInformationResponse(entries: [.init(handle: 0x001C, type: 0x2902)])
    #expect(ByteWriter.bytes { short.write(to: &$0) } == hex("01 1c00 0229"))
    let type = try #require(UUID("6f75616b-7661-7465-2d00-000000000002"))
    let long = ATT.FindInformationResponse(entries: [.init(handle: 0x001D, type: type)])
    #expect(ByteWriter.bytes { long.write(to: &$0) } == hex("02 1d00 020000000000002d657461766b61756f"))
}
