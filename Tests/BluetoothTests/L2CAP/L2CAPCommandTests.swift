import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// Examples of every command, header first.
private let examples: [(String, [UInt8])] = [
    ("Command Reject", hex("01 01 0200 0000")),
    ("Command Reject", hex("01 02 0400 0100 3000")),
    ("Command Reject", hex("01 03 0600 0200 4000 4100")),
    ("Command Reject", hex("01 03 0300 0900 ff")),
    ("Connection Request", hex("02 04 0400 0100 4000")),
    ("Connection Response", hex("03 04 0800 4100 4000 0100 0200")),
    ("Configure Request", hex("04 05 0800 4100 0000 01 02 a002")),
    (
        "Configure Request",
        hex(
            """
            04 05 4600 4100 0100 02 02 ffff 03 16 00 02 01000000 02000000 03000000 04000000 05000000
            04 09 03 08 03 d007 e02e f003 05 01 00 06 10 01 02 f003 01000000 02000000 03000000 87 02 3f00 0a 00
            """)
    ),
    ("Configure Response", hex("05 05 0a00 4100 0000 0000 01 02 a002")),
    ("Disconnection Request", hex("06 06 0400 4100 4000")),
    ("Disconnection Response", hex("07 06 0400 4100 4000")),
    ("Echo Request", hex("08 07 0300 616263")),
    ("Echo Response", hex("09 07 0000")),
    ("Information Request", hex("0a 08 0200 0200")),
    ("Information Response", hex("0b 08 0800 0200 0000 b8020000")),
    ("Information Response", hex("0b 09 0c00 0300 0000 8600000000000000")),
    ("Information Response", hex("0b 0a 0600 0100 0000 a002")),
    ("Information Response", hex("0b 0a 0400 0300 0100")),
    ("Create Channel Request", hex("0c 0b 0500 0100 4000 01")),
    ("Create Channel Response", hex("0d 0b 0800 4100 4000 0000 0000")),
    ("Move Channel Request", hex("0e 0c 0300 4000 01")),
    ("Move Channel Response", hex("0f 0c 0400 4000 0100")),
    ("Move Channel Confirmation", hex("10 0d 0400 4000 0000")),
    ("Move Channel Confirmation Response", hex("11 0d 0200 4000")),
    ("Connection Parameter Update Request", hex("12 0e 0800 0600 0c00 0000 f401")),
    ("Connection Parameter Update Response", hex("13 0e 0200 0000")),
    ("LE Credit Based Connection Request", hex("14 0f 0a00 8100 4000 0004 6400 0400")),
    ("LE Credit Based Connection Response", hex("15 0f 0a00 4000 0004 6400 0400 0000")),
    ("LE Flow Control Credit", hex("16 10 0400 4000 0200")),
    ("Credit Based Connection Request", hex("17 11 0c00 2700 4000 4000 0a00 4000 4100")),
    ("Credit Based Connection Response", hex("18 11 0c00 4000 4000 0a00 0000 4000 4100")),
    ("Credit Based Reconfigure Request", hex("19 12 0800 8000 8000 4000 4100")),
    ("Credit Based Reconfigure Response", hex("1a 12 0200 0000")),
]

/// The recorded fields: name, and value unless the field is a byte string or a group.
func recorded(_ recorder: FieldRecorder) -> [String] {
    recorder.fields.map { entry in
        let indent = String(repeating: " ", count: Int(entry.depth))
        switch entry.field.format {
        case .group, .bytes: return indent + entry.field.name
        default: return "\(indent)\(entry.field.name)=\(entry.value)"
        }
    }
}

/// Reads all commands of a signaling frame, each with its own result.
func readSignals(
    _ bytes: [UInt8], origin: Int = 0, recorder: FieldRecorder? = nil
) -> [Result<L2CAP.Signal, DecodeError>] {
    var reader = ByteReader(bytes.span, origin: origin, recorder: recorder)
    var signals: [Result<L2CAP.Signal, DecodeError>] = []
    while !reader.isAtEnd {
        do {
            signals.append(.success(try L2CAP.readSignal(&reader)))
        } catch {
            signals.append(.failure(error))
        }
    }
    return signals
}

extension Result where Failure == DecodeError {
    var error: DecodeError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

@Test(arguments: examples)
func l2capCommandReadsWritesAndSurvivesTruncation(name: String, bytes: [UInt8]) throws {
    let row = try #require(L2CAP.CommandCode.table[L2CAP.CommandCode(rawValue: bytes[0])])
    #expect(row.name == name)
    #expect(WireFormatCheck.faults(row.command, Array(bytes.dropFirst(4))) == [])
}

@Test(arguments: examples)
func commandIsReadWithItsHeader(name: String, bytes: [UInt8]) throws {
    let signals = readSignals(bytes)
    #expect(signals.count == 1)
    let signal = try #require(signals.first).get()
    #expect(signal.header.code.name == name)
    #expect(signal.header.identifier == bytes[1])
    #expect(signal.trailing == 0)
    let command = try #require(signal.command)
    #expect(L2CAP.encode(command, identifier: bytes[1]) == bytes)
}

@Test func everyCodeHasAnExample() {
    let covered = Set(examples.map { $0.1[0] })
    #expect(covered == Set(0x01...0x1A))
    #expect(L2CAP.CommandCode.table.rows.map(\.code.rawValue) == Array(0x01...0x1A))
}

@Test func responsesBelongToRequests() {
    for row in L2CAP.CommandCode.table.rows {
        guard let response = row.response else { continue }
        #expect(L2CAP.CommandCode.table[response]?.response == nil, "\(row.name)")
        #expect(response.rawValue == row.code.rawValue + 1)
    }
}

@Test func severalCommandsShareAFrame() throws {
    let recorder = FieldRecorder()
    let signals = readSignals(hex("02 13 0400 0100 4000 0a 14 0200 0200"), origin: 9, recorder: recorder)
    #expect(signals.count == 2)
    let first = try #require(signals.first).get()
    let second = try #require(signals.last).get()
    #expect(first.command as? L2CAP.ConnectionRequest == .init(psm: .sdp, source: .init(0x40)))
    #expect(second.command as? L2CAP.InformationRequest == .init(type: .extendedFeatures))
    #expect(
        recorded(recorder) == [
            "btl2cap.command", " btl2cap.cmd_code=2", " btl2cap.cmd_ident=19", " btl2cap.cmd_length=4",
            " btl2cap.psm=1", " btl2cap.scid=64",
            "btl2cap.command", " btl2cap.cmd_code=10", " btl2cap.cmd_ident=20", " btl2cap.cmd_length=2",
            " btl2cap.info_type=2",
        ])
    let groups = recorder.fields.filter { $0.field == L2CAP.Fields.command }
    #expect(groups.map(\.offset) == [9, 17])
    #expect(groups.map(\.length) == [8, 6])
}

@Test func commandAfterABrokenOneIsStillRead() throws {
    let recorder = FieldRecorder()
    let signals = readSignals(hex("02 13 0300 0100 40 0a 14 0200 0200"), recorder: recorder)
    let error = try #require(signals.first?.error)
    #expect(error.field == "Source CID")
    #expect(error.offset == 6)
    #expect(error.needed == 2)
    #expect(error.available == 1)
    #expect(error.lengthSource == "Command Length")
    let second = try #require(signals.last).get()
    #expect(second.command as? L2CAP.InformationRequest == .init(type: .extendedFeatures))
    #expect(recorder.fields.filter { $0.depth == 0 }.map(\.offset) == [0, 7])
}

@Test func commandLongerThanItsFrameIsNamed() {
    let signals = readSignals(hex("12 0e 0800 0600"))
    #expect(signals.count == 1)
    #expect(signals.first?.error?.field == "Command Data")
    #expect(signals.first?.error?.needed == 8)
    #expect(signals.first?.error?.available == 2)
}

@Test func unknownCommandIsACase() throws {
    let recorder = FieldRecorder()
    let signal = try #require(readSignals(hex("1b 13 0200 0102"), recorder: recorder).first).get()
    #expect(signal.command == nil)
    #expect(signal.header.code.name == nil)
    #expect(recorded(recorder).last == " btl2cap.cmd_data")
}

@Test func unusedCommandDataIsCounted() throws {
    let signal = try #require(readSignals(hex("13 0e 0400 0000 abcd")).first).get()
    #expect(signal.command as? L2CAP.ConnectionParameterUpdateResponse == .init(result: .accepted))
    #expect(signal.trailing == 2)
}

@Test func optionOfAWrongLengthIsRefused() {
    let error = #expect(throws: DecodeError.self) {
        _ = try L2CAP.ConfigurationRequest(decoding: hex("4100 0000 01 03 a00200"))
    }
    #expect(error?.reason == .invalid("2, not 3"))
    #expect(error?.offset == 5)
}

@Test func optionIsReadWithItsHint() throws {
    let request = try L2CAP.ConfigurationRequest(decoding: hex("4100 0000 81 02 a002 0a 01 07"))
    #expect(
        request.options == [
            .init(.mtu(672), isHint: true), .init(.unknown(type: 0x0A, [7])),
        ])
}

@Test func featuresAreNamedByTheirBits() throws {
    let recorder = FieldRecorder()
    _ = try L2CAP.InformationResponse(decoding: hex("0200 0000 b8060000"), recorder: recorder)
    let set = recorder.fields.filter { $0.field.format == .boolean && $0.value == 1 }.map(\.field.label)
    #expect(
        set == [
            "Enhanced Retransmission Mode", "Streaming Mode", "FCS Option", "Fixed Channels",
            "Unicast Connectionless Data Reception", "Enhanced Credit Based Flow Control Mode",
        ])
}

@Test func everyL2CAPFieldIsListedOnce() {
    let fields = L2CAP.Fields.all
    #expect(Set(fields).count == fields.count)
    #expect(fields.allSatisfy { $0.name.hasPrefix("btl2cap.") })
    for (_, bytes) in examples {
        let recorder = FieldRecorder()
        _ = readSignals(bytes, recorder: recorder)
        for entry in recorder.fields {
            #expect(fields.contains { $0 == entry.field }, "\(entry.field.name) is not listed")
        }
    }
}
