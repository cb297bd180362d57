import Bluetooth
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// The error of reading a document, without the file's name; nil if reading succeeds.
private func fault(in text: String) throws -> String? {
    let folder = try TemporaryFolder()
    let path = try folder.file("gatt.json", text.utf8)
    do {
        _ = try GATTFiles.read(path)
        return nil
    } catch {
        #expect(error.file == path)
        return error.description.replacing(path + ": ", with: "")
    }
}

/// A document of one device with these services.
private func document(services: String) -> String {
    """
    {"format": "gattbench-gatt", "version": 1, "devices": [
      {"address": "c0:ff:ee:00:12:34", "address_type": "random", "services": [\(services)]}]}
    """
}

private func document(characteristics: String) -> String {
    document(
        services: """
            {"start": "0x0010", "end": "0x001f", "uuid": "0x180f", "characteristics": [\(characteristics)]}
            """)
}

private let sample = """
    {
      "format": "gattbench-gatt",
      "version": 1,
      "devices": [
        {
          "address": "c0:ff:ee:00:12:34",
          "address_type": "random",
          "name": "Puck",
          "services": [
            {
              "start": "0x0010",
              "end": "0x0014",
              "uuid": "0x180f",
              "name": "Battery",
              "characteristics": [
                {
                  "declaration": "0x0011",
                  "value": "0x0012",
                  "uuid": "0x2a19",
                  "name": "Battery Level",
                  "properties": [
                    "read",
                    "notify"
                  ],
                  "descriptors": [
                    {
                      "handle": "0x0013",
                      "uuid": "0x2902",
                      "name": "Client Characteristic Configuration"
                    }
                  ]
                }
              ]
            },
            {
              "start": "0x0020",
              "end": "0xffff",
              "uuid": "6f75616b-7661-7465-2d00-000000000001",
              "characteristics": []
            }
          ]
        }
      ]
    }

    """

@Test func aFileIsReadAndWrittenAgain() throws {
    let folder = try TemporaryFolder()
    let address = DeviceAddress(Address(value: 0xC0FF_EE00_1234), .random)
    let tables = try GATTFiles.read(folder.file("gatt.json", sample.utf8))
    let table = try #require(tables.byAddress[address])
    #expect(table.services.map(\.end) == [Handle(0x0014), Handle(0xFFFF)])
    #expect(table.characteristics.map(\.properties) == [[.read, .notify]])
    #expect(table.attribute(at: Handle(0x0013))?.type == .clientCharacteristicConfiguration)
    let device = GATT.TableFile.Device(address: address, name: "Puck", table: table)
    try GATTFiles.write(GATT.TableFile(devices: [device]), to: folder.path("copy.json"))
    #expect(try folder.text("copy.json") == sample)
}

@Test func listsAndNamesMayBeLeftOut() throws {
    #expect(try fault(in: #"{"format": "gattbench-gatt", "version": 1}"#) == nil)
    #expect(try fault(in: document(services: #"{"start": "0x0001", "end": "0x0001", "uuid": "1800"}"#)) == nil)
    #expect(
        try fault(in: document(characteristics: #"{"declaration": "0x0011", "value": "0x0012", "uuid": "0x2a19"}"#))
            == nil)
}

@Test(arguments: [
    ("", "not JSON: line 1, column 1: expected a value"),
    ("{\"format\": \"gattbench-gatt\",", "not JSON: line 1, column 29: expected a member's name in quotes"),
    ("[]", "expected an object"),
    ("{}", "format: expected \"gattbench-gatt\"; found nothing"),
    (#"{"format": "pcap", "version": 1}"#, "format: expected \"gattbench-gatt\"; found \"pcap\""),
    (#"{"format": "gattbench-gatt"}"#, "version: expected 1; found nothing"),
    (
        #"{"format": "gattbench-gatt", "version": 2}"#,
        "version: expected 1, the version that this program reads; found 2"
    ),
    (#"{"format": "gattbench-gatt", "version": "1"}"#, "version: expected a number"),
    (
        #"{"format": "gattbench-gatt", "version": 1, "device": []}"#,
        "\"device\" is not a key here; did you mean \"devices\"?"
    ),
    (#"{"format": "gattbench-gatt", "version": 1, "devices": {}}"#, "devices: expected a list"),
    (
        #"{"format": "gattbench-gatt", "version": 1, "devices": [{"address": "c0:ff:ee"}]}"#,
        "devices[0].address: \"c0:ff:ee\" is not an address; expected six bytes such as \"c0:ff:ee:00:12:34\""
    ),
    (
        #"{"format": "gattbench-gatt", "version": 1, "devices": [{"address": "c0:ff:ee:00:12:34"}]}"#,
        "devices[0].address_type: expected \"public\" or \"random\"; found nothing"
    ),
    (
        document(services: #"{"start": 1, "end": "0x0004", "uuid": "0x180f"}"#),
        "devices[0].services[0].start: expected text"
    ),
    (
        document(services: #"{"start": "0x0001", "end": "four", "uuid": "0x180f"}"#),
        "devices[0].services[0].end: expected a handle such as \"0x001f\"; found \"four\""
    ),
    (
        document(services: #"{"start": "0x0001", "end": "0x0004", "uuid": "battery"}"#),
        "devices[0].services[0].uuid: expected a UUID such as \"0x180f\" or \"0000180f-0000-1000-8000-00805f9b34fb\"; "
            + "found \"battery\""
    ),
    (
        document(services: #"{"start": "0x0005", "end": "0x0004", "uuid": "0x180f"}"#),
        "devices[0].services[0].end: 0x0004 is before the service's start, 0x0005"
    ),
    (
        document(
            services: #"""
                {"start": "0x0001", "end": "0x0004", "uuid": "0x180f"},
                {"start": "0x0001", "end": "0x0004", "uuid": "0x180a"}
                """#), "devices[0].services[1]: what is at 0x0001 contradicts another entry"
    ),
    (
        document(
            characteristics:
                #"{"declaration": "0x0011", "value": "0x0012", "uuid": "0x2a19", "properties": ["notifi"]}"#),
        "devices[0].services[0].characteristics[0].properties[0]: \"notifi\" is not a property; did you mean \"notify\"?"
    ),
    (
        document(
            characteristics: #"{"declaration": "0x0011", "value": "0x0012", "uuid": "0x2a19", "properties": ["sing"]}"#),
        "devices[0].services[0].characteristics[0].properties[0]: \"sing\" is not a property; expected one of broadcast, "
            + "read, write-without-response, write, notify, indicate, authenticated-signed-writes, extended-properties"
    ),
    (
        document(characteristics: #"{"declaration": "0x0021", "value": "0x0022", "uuid": "0x2a19"}"#),
        "devices[0].services[0].characteristics[0].declaration: "
            + "0x0021 is not in the service's range, 0x0010 to 0x001f"
    ),
    (
        document(
            characteristics: #"""
                {"declaration": "0x0011", "value": "0x0012", "uuid": "0x2a19",
                 "descriptors": [{"handle": "0x0012", "uuid": "0x2902"}]}
                """#),
        "devices[0].services[0].characteristics[0].descriptors[0]: what is at 0x0012 contradicts another entry"
    ),
])
func aFaultIsToldWithItsPlace(text: String, expected: String) throws {
    #expect(try fault(in: text) == expected)
}

@Test func aFileThatCannotBeReadIsNamed() {
    #expect(throws: GATTFileError.self) { try GATTFiles.read("/nowhere/table.json") }
    do {
        _ = try GATTFiles.read("/nowhere/table.json")
    } catch {
        #expect(error.description == "/nowhere/table.json: No such file or directory; check the path")
    }
}

@Test func anEndlessFileIsRefused() {
    do {
        _ = try GATTFiles.read("/dev/zero")
        Issue.record("read without end")
    } catch {
        #expect(error.description == "/dev/zero: longer than 64 MB: not an attribute table")
    }
}
