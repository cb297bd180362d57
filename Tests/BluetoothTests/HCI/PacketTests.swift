import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// The result of decoding a packet: the fields' names and values, and the error.
private struct Outcome {
    var fields: [(name: String, value: UInt64)] = []
    var error: DecodeError?
    var left = 0

    init(_ bytes: [UInt8], isEvent: Bool, hooks: HCI.Hooks = .none) {
        let recorder = FieldRecorder()
        var reader = ByteReader(bytes.span, recorder: recorder)
        do throws(DecodeError) {
            if isEvent {
                try HCI.readEvent(&reader, hooks: hooks)
            } else {
                try HCI.readCommand(&reader, hooks: hooks)
            }
        } catch {
            self.error = error
        }
        left = reader.remaining
        fields = recorder.fields.map { ($0.field.name, $0.value) }
    }

    subscript(name: String) -> [UInt64] { fields.filter { $0.name == name }.map(\.value) }

    var names: [String] { fields.map(\.name) }
}

private func command(_ text: String, hooks: HCI.Hooks = .none) -> Outcome {
    Outcome(hex(text), isEvent: false, hooks: hooks)
}

private func event(_ text: String, hooks: HCI.Hooks = .none) -> Outcome {
    Outcome(hex(text), isEvent: true, hooks: hooks)
}

@Test func commandRecordsHeaderAndParameters() {
    let read = command("0d20 19 6000 3000 00 00 b4a3c4aa6f24 00 1800 2800 0000 5802 0000 0000")
    #expect(read.error == nil)
    #expect(read["bthci_cmd.opcode"] == [0x200D])
    #expect(read["bthci_cmd.opcode.ogf"] == [8])
    #expect(read["bthci_cmd.opcode.ocf"] == [0x0D])
    #expect(read["bthci_cmd.param_length"] == [25])
    #expect(read["bthci_cmd.le_scan_interval"] == [0x60])
    #expect(read["bthci_cmd.bd_addr"] == [0x246F_AAC4_A3B4])
    #expect(read["bthci_cmd.le_con_interval_max"] == [40])
    #expect(read["bthci_cmd.le_supv_timeout"] == [600])
}

@Test func extendedScanParametersFollowThePHYs() {
    let read = command("4120 0d 01 00 05 01 8012 8012 00 6000 3000")
    #expect(read.error == nil)
    #expect(read["bthci_cmd.le_scan_phys"] == [5])
    #expect(read["bthci_cmd.le_scan_phys.le_1m"] == [1])
    #expect(read["bthci_cmd.le_scan_phys.le_coded"] == [1])
    #expect(read["bthci_cmd.le_scan_type"] == [1, 0])
    #expect(read["bthci_cmd.le_scan_interval"] == [0x1280, 0x60])
    #expect(read["bthci_cmd.le_scan_phy_param"].count == 2)
}

@Test func cisParametersAreAList() {
    let read = command("6220 18 01 102700 102700 00 00 00 6400 6400 01 02 7800 7800 02 02 0d 0d")
    #expect(read.error == nil)
    #expect(read["bthci_cmd.sdu_interval_m_to_s"] == [10000])
    #expect(read["bthci_cmd.cis_count"] == [1])
    #expect(read["bthci_cmd.cis_id"] == [2])
    #expect(read["bthci_cmd.max_sdu_m_to_s"] == [120])
    #expect(read["bthci_cmd.phy_m_to_s"] == [2])
    #expect(read["bthci_cmd.rtn_m_to_s"] == [13])
}

@Test func eventFilterTakesItsShapeFromItsType() {
    #expect(command("050c 01 00").names.last == "bthci_cmd.filter_type")
    let byClass = command("050c 08 01 01 0c0142 ffffff")
    #expect(byClass["bthci_cmd.class_of_device"] == [0x42010C])
    let byAddress = command("050c 09 02 02 b4a3c4aa6f24 02")
    #expect(byAddress["bthci_cmd.bd_addr"] == [0x246F_AAC4_A3B4])
    #expect(byAddress["bthci_cmd.auto_accept_flag"] == [2])
    #expect(byAddress.error == nil)
}

@Test func localNameEndsAtItsZero() throws {
    let packet = hex("130c f8") + Array("Puck".utf8) + [UInt8](repeating: 0, count: 244)
    let recorder = FieldRecorder()
    var reader = ByteReader(packet.span, recorder: recorder)
    try HCI.readCommand(&reader)
    let name = try #require(recorder.fields.last)
    #expect(name.field.name == "bthci_cmd.device_name")
    #expect(name.offset == 3)
    #expect(name.length == 4)
}

@Test func vendorCommandsAndUnknownOnesAreBytes() {
    #expect(command("57fd 02 0102").names.last == "bthci_cmd.parameter")
    #expect(command("57fd 02 0102").error == nil)
    #expect(command("ff23 01 00").names.last == "bthci_cmd.parameter")
    #expect(event("ff 03 010203").names.last == "bthci_evt.vendor_parameter")
    #expect(event("77 02 0102").names.last == "bthci_evt.parameter")
    #expect(event("3e 03 7f 0102").names.last == "bthci_evt.parameter")
}

@Test func parametersBeyondTheLayoutAreKept() {
    #expect(command("0604 05 4000 13 aabb").names.last == "bthci_cmd.expert.parameter.unexpected")
    #expect(event("05 05 00 4000 13 aa").names.last == "bthci_evt.unexpected_parameter")
    #expect(event("0e 06 01 030c 00 aabb").names.last == "bthci_evt.ret_params")
}

@Test func bytesBeyondTheLengthStayUnread() {
    let read = command("0604 03 4000 13 aabb")
    #expect(read.error == nil)
    #expect(read.left == 2)
}

@Test func aShortPacketTellsWhatIsMissing() {
    let read = event("05 04 00 40")
    #expect(read.names == ["bthci_evt.code", "bthci_evt.param_length", "bthci_evt.status"])
    #expect(read.error?.field == "Connection Handle")
    #expect(read.error?.offset == 3)
    #expect(read.error?.lengthSource == "Parameter Total Length")
    let longer = command("57fd 05 0102")
    #expect(longer.names.last == "bthci_cmd.parameter")
    #expect(longer.error?.field == "Parameter Total Length")
    #expect(longer.error?.needed == 5)
    #expect(longer.error?.available == 2)
}

@Test func commandCompleteReadsTheReturnParameters() {
    let version = event("0e 0c 01 0110 00 0b cb20 0b 0f00 0f22")
    #expect(version.error == nil)
    #expect(version["bthci_evt.opcode"] == [0x1001])
    #expect(version["bthci_evt.opcode.ocf"] == [1])
    #expect(version["bthci_evt.status"] == [0])
    #expect(version["bthci_evt.hci_vers_nr"] == [0x0B])
    #expect(version["bthci_evt.comp_id"] == [0x000F])
    let address = event("0e 0a 01 0910 00 554433221 1c0")
    #expect(address["bthci_evt.bd_addr"] == [0xC011_2233_4455])
    let created = event("0e 0a 01 6220 00 01 02 0200 0300")
    #expect(created["bthci_evt.cis_handle"] == [2, 3])
}

@Test func aFailedCommandMayReturnItsStatusAlone() {
    let failed = event("0e 04 01 0110 0c")
    #expect(failed.error == nil)
    #expect(failed["bthci_evt.status"] == [0x0C])
    let typed = event("0e 04 01 0910 0c")
    #expect(typed.error == nil)
    #expect(typed["bthci_evt.status"] == [0x0C])
    let cutShort = event("0e 04 01 0110 00")
    #expect(cutShort.error != nil)
    let instead = event("0e 04 01 0d20 01")
    #expect(instead.error == nil)
    #expect(instead["bthci_evt.status"] == [1])
}

@Test func vendorReturnParametersHaveNoStatus() {
    let vendor = event("0e 07 01 57fd 00 01 02 03")
    #expect(vendor.error == nil)
    #expect(vendor["bthci_evt.status"] == [])
    #expect(vendor.names.last == "bthci_evt.ret_params")
    #expect(event("0e 03 05 0000").error == nil)
}

@Test func advertisingReportsRecordEveryReport() {
    let read = event("3e 1b 02 02 00 00 b4a3c4aa6f24 03 020106 d5 04 01 b4a3c4aa6fe4 02 0109 7f")
    #expect(read.error == nil)
    #expect(read["bthci_evt.le_meta_subevent"] == [2])
    #expect(read["bthci_evt.report"].count == 2)
    #expect(read["bthci_evt.le_advts_event_type"] == [0, 4])
    #expect(read["bthci_evt.data_length"] == [3, 2])
    #expect(read["bthci_evt.advertising_data"].count == 2)
    #expect(read["bthci_evt.rssi"].map { Int8(truncatingIfNeeded: $0) } == [-43, 127])
}

@Test func advertisingDataGoesToTheHook() {
    let inside = Field("test.inside", "Inside", .bytes)
    let hooks = HCI.Hooks { reader throws(DecodeError) in
        while !reader.isAtEnd {
            let length = try reader.read(inside, bytes: 1)
            try reader.skip(inside, count: Int(length))
        }
    }
    let report = event("3e 0f 02 01 00 00 b4a3c4aa6f24 03 020106 d5", hooks: hooks)
    #expect(report.error == nil)
    #expect(report["test.inside"].count == 2)
    #expect(report.names.suffix(4) == ["bthci_evt.advertising_data", "test.inside", "test.inside", "bthci_evt.rssi"])
    let extended = command("3720 07 01 03 01 03 020106", hooks: hooks)
    #expect(extended.error == nil)
    #expect(extended["test.inside"].count == 2)
    let legacy = command("0820 20 03 020106" + String(repeating: "00", count: 28), hooks: hooks)
    #expect(legacy.error == nil)
    #expect(legacy["test.inside"].count == 2)
}

@Test func aFaultInAdvertisingDataDoesNotHideWhatFollows() {
    let inside = Field("test.inside", "Inside", .bytes)
    let hooks = HCI.Hooks { reader throws(DecodeError) in try reader.skip(inside, count: 9) }
    let report = event("3e 0f 02 01 00 00 b4a3c4aa6f24 03 020106 d5", hooks: hooks)
    #expect(report.error?.field == "Inside")
    #expect(report.names.last == "bthci_evt.rssi")
    let extended = command("3720 08 01 03 01 03 020106 ee", hooks: hooks)
    #expect(extended.error?.field == "Inside")
    #expect(extended.names.last == "bthci_cmd.expert.parameter.unexpected")
}

@Test func extendedFeaturesFollowTheirPage() {
    let page1 = event("0e 0e 01 0410 00 01 02 0b00000000000000")
    #expect(page1.error == nil)
    #expect(page1["bthci_evt.lmp_features.le_supported.host"] == [1])
    #expect(page1["bthci_evt.lmp_features.simultaneous_le_and_br_edr.host"] == [0])
    #expect(page1["bthci_evt.max_page_number"] == [2])
}

/// Every packet, truncated at every byte, gives an error inside the packet and never a trap.
@Test(arguments: Layout.all)
func packetsSurviveTruncation(layout: Layout) throws {
    guard !layout.isTyped else { return }
    var maker = SampleMaker(layout.side, seed: 7)
    let parameters = try HCI.bytes(of: layout.parameters, layout.side, maker.values(layout.parameters))
    let rows = HCI.CommandRow.table.rows
    let packet: [UInt8]
    if let row = rows.first(where: { $0.name == layout.name }), layout.side == .command {
        packet = ByteWriter.bytes {
            $0.write(row.opcode.rawValue)
            $0.write(UInt8(parameters.count))
            $0.write(parameters)
        }
    } else if let row = HCI.LEEventRow.table.rows.first(where: { $0.name == layout.name }) {
        packet = [0x3E, UInt8(parameters.count + 1), row.subevent.rawValue] + parameters
    } else if let row = HCI.EventRow.table.rows.first(where: { $0.name == layout.name }) {
        packet = [row.code.rawValue, UInt8(parameters.count)] + parameters
    } else if let row = rows.first(where: { $0.name + " (returned)" == layout.name }) {
        packet = [0x0E, UInt8(parameters.count + 3), 1] + row.opcode.rawValue.bytes + parameters
    } else {
        return
    }
    for count in packet.indices {
        let read = Outcome(Array(packet[..<count]), isEvent: layout.side == .event)
        let error = try #require(read.error, "\(layout.name) cut at \(count)")
        #expect(error.offset <= count && !error.field.isEmpty)
    }
}

/// Random bytes with a known code are decoded or rejected with a reason.
@Test func randomParametersAreReadOrRefused() {
    var maker = SampleMaker(.event, seed: 11)
    for round in 0..<20_000 {
        let length = Int(maker.number(bytes: 1)) % 64
        let parameters = (0..<length).map { _ in UInt8(truncatingIfNeeded: maker.number(bytes: 1)) }
        let isEvent = round.isMultiple(of: 2)
        let rows = HCI.CommandRow.table.rows
        let opcode = rows[Int(maker.number(bytes: 2)) % rows.count].opcode.rawValue.bytes
        let header = isEvent ? [UInt8(truncatingIfNeeded: maker.number(bytes: 1) % 0x5A)] : opcode
        let read = Outcome(header + [UInt8(length)] + parameters, isEvent: isEvent)
        if let error = read.error { #expect(error.offset <= header.count + 1 + length && !error.field.isEmpty) }
        let complete = Outcome([0x0E, UInt8(length + 3), 1] + opcode + parameters, isEvent: true)
        if let error = complete.error { #expect(error.offset <= 5 + length && !error.field.isEmpty) }
    }
}

extension UInt16 {
    fileprivate var bytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }
}

/// Each bit of the features of page 0 belongs to one feature or is reserved (Vol 2, Part C, 3.3).
@Test(arguments: 0..<64)
func noTwoFeaturesShareABit(bit: Int) {
    let bytes = (0..<8).map { String(hex: $0 == bit / 8 ? 1 << UInt8(bit % 8) : 0 as UInt8, digits: 2) }
    let read = event("0e 0c 01 0310 00 " + bytes.joined())
    #expect(read.error == nil)
    let features = read.fields.filter { $0.name.contains("lmp_features.") }
    #expect(features.count > 50)
    #expect(features.count { $0.value != 0 } <= 1)
}

/// A mode-3 step has at least 15 bytes with one antenna path.
@Test func aStepThatIsTooShortKeepsWhatFollows() {
    let read = event("3e 15 32 4000 01 00 00 00 01 02 03 10 03 010203 00 02 03 00 d8 01")
    #expect(read["bthci_evt.step_mode"] == [3, 0])
    #expect(read["bthci_evt.nadm_attack_chance"] == [2])
    #expect(read["bthci_evt.antenna_id"] == [1])
    #expect(read.error?.offset == 17)
    #expect(read.error?.lengthSource == "Step Data Length")
}

@Test func tonesFollowTheSoundingSequence() {
    let read = event(
        "3e 23 32 4000 01 00 00 00 01 01 03 11 17 00 ff d6 0080 01 01020300 04050600 00 230114 00 ff0f00 13")
    #expect(read.error == nil)
    #expect(read["bthci_evt.pct1"] == [0x0003_0201])
    #expect(read["bthci_evt.pct_i_sample"] == [0x123, 0xFFF])
    #expect(read["bthci_evt.pct_q_sample"] == [0x140, 0x000])
    #expect(read["bthci_evt.tone_quality"] == [0, 3])
    #expect(read["bthci_evt.tone_extension_presence"] == [0, 1])
}
