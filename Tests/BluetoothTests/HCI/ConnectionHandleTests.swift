import Bluetooth
import Bytes
import PDUTestKit
import Testing

/// The connection handle of events and commands, at the offset in their table rows.
struct ConnectionHandleTests {
    @Test(arguments: [
        ("05 04 00 4000 13", 0x0040), ("13 05 01 4100 0100", 0x0041), ("13 09 02 4100 0100 4000 0100", nil),
        ("3e 0a 03 00 4000 0600 0000 f401", 0x0040), ("3e 0b 07 4000 fb00 4808 1b00 4801", 0x0040),
        ("3e 06 0c 00 4000 02 02", 0x0040), ("0e 07 01 0514 00 4100 c4", 0x0041), ("0e 04 01 030c 00", nil),
        ("0f 04 00 01 1320", nil), ("ff 03 4000 00", nil), ("05 04 00 40", nil), ("3e 01", nil),
        // The controller's flags are not part of the handle.
        ("05 04 00 4020 13", 0x0040),
    ])
    func ofAnEvent(bytes: String, handle: UInt16?) {
        var places = HCI.HandlePlaces()
        let found = places.connectionHandle(inEvent: hex(bytes).span.rawBytes)
        #expect(found?.rawValue == handle)
    }

    @Test(arguments: [
        ("0604 03 4000 13", 0x0040), ("1320 0e 4000 0600 0600 0000 f401 0000 0000", 0x0040), ("030c 00", nil),
        ("350c 05 01 4000 0100", 0x0040), ("0604 03", nil), ("01fc 02 4000", nil),
    ])
    func ofACommand(bytes: String, handle: UInt16?) {
        var places = HCI.HandlePlaces()
        let found = places.connectionHandle(inCommand: hex(bytes).span.rawBytes)
        #expect(found?.rawValue == handle)
    }

    /// Each row of an event with one connection handle locates it.
    @Test func everyRowWithAHandleGivesIt() throws {
        var places = HCI.HandlePlaces()
        var known = 0
        for row in HCI.LEEventRow.table.rows {
            let bytes = [0x3E, 61, row.subevent.rawValue] + [UInt8](repeating: 0, count: 60)
            let recorder = FieldRecorder()
            var reader = ByteReader(bytes.span, recorder: recorder)
            _ = try? HCI.readEvent(&reader)
            guard let field = recorder.fields.first(where: { $0.field.name == "bthci_evt.connection_handle" }) else {
                continue
            }
            var event = bytes
            event[Int(field.offset)] = 0x47
            let found = places.connectionHandle(inEvent: event.span.rawBytes)
            #expect(found?.rawValue == 0x47, "\(row.name)")
            known += 1
        }
        #expect(known >= 18)
    }
}
