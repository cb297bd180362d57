import Bluetooth
import Bytes
import Dissection
import PDUTestKit
import TestKit
import Testing

struct FilterTests {
    @Test(arguments: [
        "", "   ", "test", "test.code", "test.handle", "(((test)))", "not not test", "! !test", "!other",
        "!test.absent",
        "test && test.code", "test and not other", "other || test", "other or test", "test ^^ other", "test xor other",
        "!(test ^^ test.code)", "test ^^ test.code ^^ test.handle", "test.value[4]", "test.value[0:2]",
    ])
    func presenceAndLogic(text: String) throws {
        #expect(try Sample.passes(text))
    }

    @Test(arguments: [
        "other", "test.absent", "!test", "test && other", "test ^^ test.code", "other.value[0]", "test.value[5]",
        "test.value[0:100]",
    ])
    func absence(text: String) throws {
        #expect(try !Sample.passes(text))
    }

    @Test(arguments: [
        // `!` binds tighter than `&&`, `&&` tighter than `^^`, `^^` tighter than `||`.
        ("test || other && other", true), ("(test || other) && other", false), ("!other && test", true),
        ("!(other && test)", true), ("!other && other", false), ("test || test ^^ test", true),
        ("(test || test) ^^ test", false), ("test ^^ other && other", true), ("(test ^^ other) && other", false),
        ("!test.code == 0x1b", false), ("!test.code == 1 && other", false),
    ])
    func precedence(text: String, expected: Bool) throws {
        #expect(try Sample.passes(text) == expected)
    }

    @Test(arguments: [
        "test.code == 0x1b", "test.code eq 27", "test.code == 033", "test.code == 0b11011", "test.code == '\\x1b'",
        "test.code != 0x1c", "test.code ne 1", "test.code < 28", "test.code lt 0x1c", "test.code <= 27",
        "test.code le 27", "test.code > 26", "test.code gt 26", "test.code >= 27", "test.code ge 27",
        "0x1b == test.code", "26 < test.code", "26 < test.code < 28", "test.code==0x1b&&test.handle==20",
        "test.rssi == -60", "test.rssi < 0", "test.rssi > -61", "test.rssi < -59", "test.rssi >= -60",
        "test.flags.more == 1", "test.flags.more == true", "test.flags.more == TRUE", "test.flags.more != false",
        "test.flags.level == -1", "test.temperature > 21", "test.temperature == 21.5", "test.temperature < 2.2e1",
        "test.interval == 24", "test.code > -1", "test.code == +27",
    ])
    func numbers(text: String) throws {
        #expect(try Sample.passes(text))
    }

    @Test(arguments: [
        ("test.handle == 0x20", true), ("test.handle == 0x14", true), ("test.handle == 0x15", false),
        ("test.handle != 0x14", false), ("test.handle != 0x15", true), ("test.handle !== 0x14", true),
        ("test.handle ~= 0x14", true), ("test.handle any_ne 0x14", true), ("test.handle all_ne 0x14", false),
        ("test.handle === 0x14", false), ("test.handle all_eq 0x14", false), ("all test.handle > 0x10", true),
        ("all test.handle > 0x14", false), ("any test.handle > 0x14", true), ("test.handle > 0x14", true),
        ("any test.handle != 0x14", true), ("!(test.handle == 0x14)", false), ("test.absent != 1", false),
        ("test.absent == 1", false), ("all test.absent == 1", false), ("all test.handle in {0x14, 0x20}", true),
        ("all test.handle in {0x14, 0x21}", false), ("test.handle == test.start", false),
        ("test.handle > test.start", true), ("all test.start < test.handle", true),
        ("test.handle == test.handle", true), ("test.handle > 19.5", true), ("test.handle < 32.5", true),
        ("test.handle > 32.5", false), ("test.handle == 20.0", true), ("test.handle == 20.5", false),
        ("19.5 < test.handle", true), ("test.handle in {19.5..20.5}", true), ("test.rssi < -1.5", true),
        ("test.handle === test.handle", false), ("test.temperature < test.start", false),
        ("test.temperature > test.start", true), ("test.absent == test.start", false),
    ])
    func occurrences(text: String, expected: Bool) throws {
        #expect(try Sample.passes(text) == expected)
    }

    /// Value names that the output spells differently or not at all.
    @Test(arguments: [
        ("hci_h4.direction == \"Rcvd\"", true), ("hci_h4.direction == Received", true),
        ("hci_h4.direction == Sent", false), ("btatt.uuid16 == \"Client Characteristic Configuration\"", true),
        ("btatt.uuid16 == \"Battery Level\"", false),
    ])
    func namesOfWireshark(text: String, expected: Bool) throws {
        let filter = try DisplayFilter(text, catalog: FieldCatalog(FrameFields.all + ATT.Fields.all))
        let recorder = FieldRecorder()
        recorder.add(FrameFields.h4Direction, value: 1, offset: 0, length: 4)
        recorder.add(ATT.Fields.uuid16, value: 0x2902, offset: 0, length: 2)
        #expect(Sample.passes(filter, recorder, [], [], []) == expected)
    }

    @Test(arguments: [
        ("test.code == \"Notification\"", true), ("test.code == \"notification\"", true),
        ("test.code == Notification", true), ("test.code == \"Indication\"", false),
        ("test.code != \"Indication\"", true), ("test.code < \"Indication\"", true),
        ("test.code in {\"Read Request\", Notification}", true), ("test.code == \"Vendor\"", false),
        ("test.code != Vendor", true), ("test.result == \"Rejected\"", true), ("test.result == Accepted", false),
        // Another field with this name, absent from the frame, uses this name for 1.
        ("test.result == Pending", false), ("test.result == 1", true),
    ])
    func valueNames(text: String, expected: Bool) throws {
        #expect(try Sample.passes(text) == expected)
    }

    @Test(arguments: [
        ("test.handle in {1, 2, 0x14}", true), ("test.handle in {1, 2, 5..9}", false),
        ("test.handle in {5..0x14}", true), ("test.handle in {5 .. 0x14}", true), ("test.handle not in {1..9}", true),
        ("not test.handle in {1..9}", true), ("test.rssi in {-90..-60}", true), ("test.rssi in {-90..-61}", false),
        ("test.temperature in {21..22.5}", true), ("test.value in {01:02, 01:02:03:04:05}", true),
        ("test.name in {\"A\"..\"I\"}", true), ("test.name in {\"I\"..\"Z\"}", false), ("test.absent in {1}", false),
    ])
    func sets(text: String, expected: Bool) throws {
        #expect(try Sample.passes(text) == expected)
    }

    @Test(arguments: [
        ("test.value == 01:02:03:04:05", true), ("test.value == 01-02-03-04-05", true),
        ("test.value == 01.02.03.04.05", true), ("test.value == 0102030405", true), ("test.value == :01:02", false),
        ("test.value contains 02:03", true), ("test.value contains 3", true), ("test.value contains 0x03", true),
        ("test.value contains :02:03", true), ("test.value contains 02:04", false),
        ("test.value contains \"\\x02\\003\"", true), ("test.value == \"\\1\\2\\3\\4\\5\"", true),
        ("test.value[0] == 1", true), ("test.value[0] == 0x01", true), ("test.value[0] == 01", true),
        ("test.value[0:2] == 01:02", true), ("test.value[1-2] == 02:03", true), ("test.value[:2] == 01:02", true),
        ("test.value[3:] == 04:05", true), ("test.value[-1] == 5", true), ("test.value[-2:] == 04:05", true),
        ("test.value[-3:2] == 03:04", true), ("test.value[-2--1] == 04:05", true), ("test.value[-2-4] == 04:05", true),
        ("test.value[0,2-3] == 01:03:04", true), ("test.value[ 0 , 4 ] == 01:05", true), ("test.value[0] == 2", false),
        ("test.value[9] == 1", false), ("test.value[9] != 1", false), ("test.value[-9] == 1", false),
        // A longer value is greater.
        ("test.value > ff", true), ("test.value < 02:00:00:00:00", true), ("test.value >= 01:02:03:04:05", true),
        ("test.value > 01:02:03:04:04", true), ("test.value < 00:00:00:00:00:00", true),
        ("test[0] == 1b", true), ("test[0:1] == \"\\x1b\"", true), ("test contains 1b:14", true),
        ("test.sdu == aa:bb:cc", true), ("test.fragment == ee:ff", true), ("test.value == \"abc\"", false),
        ("test.value contains test.value[1:2]", true), ("test contains test.value", true),
        ("test.value contains test.sdu", false),
    ])
    func bytes(text: String, expected: Bool) throws {
        #expect(try Sample.passes(text) == expected)
    }

    @Test(arguments: [
        ("test.address == 11:22:33:44:55:66", true), ("test.address == 11-22-33-44-55-66", true),
        ("test.address == 1122.3344.5566", true), ("test.address == 112233445566", true),
        ("test.address == \"11:22:33:44:55:66\"", true), ("test.address == 66:55:44:33:22:11", false),
        ("test.address[0:3] == 11:22:33", true), ("test.address contains 22:33", true),
        ("test.address > 11:22:33:44:55:65", true), ("test.address matches \"\\x33\"", true),
        ("test.uuid == 0000180f-0000-1000-8000-00805f9b34fb", true), ("test.uuid == 0x180f", true),
        ("test.uuid == 00:00:18:0f:00:00:10:00:80:00:00:80:5f:9b:34:fb", true), ("test.uuid == 1810", false),
        ("test.uuid[2:2] == 18:0f", true), ("test.uuid contains 34:fb", true),
    ])
    func addressesAndUUIDs(text: String, expected: Bool) throws {
        #expect(try Sample.passes(text) == expected)
    }

    @Test(arguments: [
        ("test.name == \"HORIZON 7.4\"", true), ("test.name == \"horizon 7.4\"", false),
        ("test.name contains \"RIZ\"", true), ("test.name contains RIZ", true), ("test.name contains \"riz\"", false),
        ("lower(test.name) contains \"riz\"", true), ("upper(test.peer) == \"FIRE TABLET\"", true),
        ("test.name > \"A\"", true), ("test.name < \"HZ\"", true), ("test.name[0:3] == \"HOR\"", true),
        ("test.name[0:3] == 48:4f:52", true), ("lower(test.name)[0] == \"h\"", true),
        ("test.peer == \"Fire Tablet\"", true), ("test.peer contains \"Tab\"", true),
        ("test.name matches \"^hor\"", true), ("test.name ~ \"7\\.4$\"", true),
        ("test.name matches \"7\\\\.4$\"", true),
        ("test.name matches r\"\\d\\.\\d\"", true), ("test.name matches r\"^\\d\"", false),
        ("test.value matches r\"\\x02\\x03\"", true), ("test.value matches \"\\x02\\x03\"", true),
        ("test.name == r\"HORIZON 7.4\"", true), ("test.name == \"\\x48\\117RIZON 7.4\"", true),
    ])
    func texts(text: String, expected: Bool) throws {
        #expect(try Sample.passes(text) == expected)
    }

    @Test(arguments: [
        ("test.handle & 0x20", true), ("test.handle & 1", false), ("test.handle & 0x24 == 0x20", true),
        ("(test.handle & 0x10) == 0x10", true), ("test.handle bitand 0x10 == 0x10", true),
        ("test.handle bitwise_and 0x1", false), ("test.handle == test.handle & 0xff", true),
        ("test.value[0] & 1", true), ("test.value[1] & 1", false), ("test.value[0:2] & ff:00 == 01:00", true),
        ("test.rssi & 0x80", true), ("len(test.value) == 5", true), ("len(test.name) == 11", true),
        ("len(test.code) == 1", true), ("len(test) == 53", true), ("len(test.value[1:3]) == 3", true),
        ("len(test.peer) == 11", true), ("count(test.handle) == 2", true), ("count(test.handle) > 2", false),
        ("count(test.absent) == 0", false), ("len(lower(test.name)) > 10", true), ("test.code & 1 == 1 && test", true),
    ])
    func masksAndFunctions(text: String, expected: Bool) throws {
        #expect(try Sample.passes(text) == expected)
    }

    @Test func fieldsAreTold() throws {
        let filter = try DisplayFilter(
            "test.code == 1 || other && len(test.value) > 3 || count(test.handle) in {1}", catalog: Sample.catalog)
        #expect(filter.fieldNames == ["test.code", "other", "test.value", "test.handle"])
        #expect(filter.text.hasPrefix("test.code"))
        #expect(try DisplayFilter("", catalog: Sample.catalog).fieldNames == [])
    }

    @Test func aFieldIsToldByItsObjectNotByItsName() throws {
        let impostor = Field("test.code", "Code", .hex(2))
        let recorder = FieldRecorder()
        recorder.add(impostor, value: 0x1B, offset: 0, length: 1)
        let filter = try DisplayFilter("test.code == 0x1b", catalog: Sample.catalog)
        #expect(!Sample.passes(filter, recorder, [], [], []))
    }

    @Test func rangesOutsideOfTheBytesAreHarmless() throws {
        let recorder = FieldRecorder()
        recorder.add(Sample.value, value: 0, offset: 2, length: 90)
        recorder.add(Sample.value, value: 0, offset: 900, length: 1)
        recorder.add(Sample.peer, value: 77, offset: 0, length: 0, isGenerated: true)
        recorder.add(Sample.rssi, value: 5, offset: 0, length: 0, isGenerated: true)
        let filter = try DisplayFilter(
            "test.value == 03 and test.peer == \"\" and test.rssi == 5", catalog: Sample.catalog)
        #expect(Sample.passes(filter, recorder, [1, 2, 3], [], []))
    }
}
