import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection
import Foundation
import Output
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Columns and filters on derived fields: conclusions from other frames, peers, and diagnoses.
struct ConcludedFieldTests {
    private static func path(_ capture: String) -> String { Repository.path("captures/\(capture)") }

    private static func options(_ format: DecodeOptions.Format, _ filter: String? = nil) throws -> DecodeOptions {
        var options = DecodeOptions()
        options.plugins = try PluginLibrary.builtIn().plugins
        options.format = format
        options.filter = filter
        return options
    }

    /// The columns of the frames that pass a filter, by frame.
    private static func rows(
        _ capture: String, _ fields: [String], where filter: String? = nil
    ) async throws -> [[String]] {
        var options = try options(.fields, filter)
        options.fields = fields
        return try await decode(path(capture), options).split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// A device named `=1+2`: on request, its name is a text in a spreadsheet; its signal strength stays a number.
    @Test(arguments: [([], "=1+2"), (["apostrophe=y"], "'=1+2")] as [([String], String)])
    func anApostropheStandsBeforeFormulas(layout: [String], name: String) async throws {
        let capture = try Capture([(.received, "043e12 02010001 665544332211 06 05093d312b32 c4")])
        var options = DecodeOptions()
        options.format = .csv
        options.fields = ["frame.number", "btcommon.eir_ad.entry.device_name", "bthci_evt.rssi"]
        options.layout = try FieldsPrinter.Layout(options: layout, isCSV: true)
        #expect(try await capture.decode(options).last == #""1","\#(name)","-60""#)
    }

    private static func objects(_ capture: String) async throws -> [[String: JSONValue]] {
        try await decode(path(capture), options(.ndjson)).split(separator: "\n").map {
            try JSONValue(reading: Array($0.utf8)).members
        }
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .integer(let number)?: String(number)
        default: ""
        }
    }

    private static let withFaults = [
        "two-peers-equal-handles/capture.btsnoop", "malformed-pdus/capture.btsnoop", "cut-records/capture.btsnoop",
        "air-mid-connection/capture.pcap",
    ]

    @Test(arguments: withFaults)
    func membersOfNDJSONAreColumns(capture: String) async throws {
        let rows = try await Self.rows(
            capture, ["connection", "peer", "peer_name", "diagnosis.severity", "diagnosis.layer", "diagnosis.text"])
        let objects = try await Self.objects(capture)
        #expect(rows.count == objects.count)
        for (row, object) in zip(rows, objects) {
            #expect(row[0] == Self.text(object["connection"]))
            let peer = Self.text(object["peer"])
            #expect(row[1] == (peer == "?" ? "" : peer))
            #expect(row[2] == Self.text(object["peer_name"]))
            let diagnoses = object["diagnosis"]?.elements ?? []
            for (column, member) in [(3, "severity"), (4, "layer"), (5, "text")] {
                #expect(row[column] == diagnoses.map { Self.text($0[member]) }.joined(separator: ","))
            }
        }
    }

    @Test(arguments: [
        ("two-peers-equal-handles/capture.btsnoop", "connection == 2", 18),
        ("two-peers-equal-handles/capture.btsnoop", "peer == c0:ff:ee:00:00:02 && btatt", 17),
        ("two-peers-equal-handles/capture.btsnoop", "peer_name contains \"Count\" && btatt", 17),
        ("malformed-pdus/capture.btsnoop", "diagnosis.severity == \"error\" && diagnosis.layer == \"btatt\"", 3),
        ("cut-records/capture.btsnoop", "diagnosis.text contains \"captured length\"", 4),
        ("cut-records/capture.btsnoop", "!diagnosis && btatt", 1),
    ])
    func theyAreFiltered(capture: String, filter: String, count: Int) async throws {
        let rows = try await Self.rows(capture, ["frame.number"], where: filter)
        #expect(rows.count == count)
    }

    @Test func aPluginsNameIsAProtocol() async throws {
        let capture = "aquavate-sync/capture.btsnoop"
        let named = try await Self.rows(capture, ["frame.number"], where: "aquavate")
        let read = try await Self.rows(capture, ["frame.number"], where: "device.plugin == \"aquavate\"")
        #expect(named == read)
        #expect(named.count > 5)
        let all = try await Self.rows(capture, ["aquavate"], where: "aquavate")
        #expect(all.allSatisfy { $0 == ["Aquavate smart-bottle puck"] })
    }

    @Test func longTypesFollowFromTheTable() async throws {
        let capture = "weather-station/capture.btsnoop"
        let receive = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
        let fields = ["btatt.opcode", "btatt.uuid128", "btatt.service_uuid128"]
        let rows = try await Self.rows(capture, fields, where: "btatt.uuid128 == \(receive) && btatt.opcode == 0x52")
        #expect(rows == [["0x52", receive.filter { $0 != "-" }, "6e400001b5a3f393e0a9e50e24dcca9e"]])
        let configurations = try await Self.rows(
            capture, ["btatt.uuid16", "btatt.characteristic_uuid16", "btatt.characteristic_uuid128"],
            where: "btatt.uuid16 == 0x2902 && btatt.opcode == 0x12")
        #expect(configurations.map { $0[1] } == ["0x2a6e", "", ""])
        #expect(configurations.map { $0[2].isEmpty } == [true, false, false])
    }

    @Test func aResponseNamesItsRequest() async throws {
        let rows = try await Self.rows(
            "two-peers-equal-handles/capture.btsnoop", ["frame.number", "btatt.request_in_frame"],
            where: "btatt.request_in_frame && frame.number >= 35")
        #expect(rows == [["36", "35"], ["38", "37"]])
    }

    @Test func aRequestNamesItsResponse() async throws {
        let capture = "two-peers-equal-handles/capture.btsnoop"
        let rows = try await Self.rows(
            capture, ["frame.number", "btatt.response_in_frame"], where: "btatt.response_in_frame && frame.number >= 19"
        )
        #expect(rows.prefix(2) == [["19", "20"], ["21", "22"]])
        #expect(rows.suffix(2) == [["35", "36"], ["37", "38"]])
        // tshark does not know frames beyond its limit either.
        var options = try Self.options(.fields, "frame.number >= 35")
        (options.fields, options.frameLimit) = (["btatt.response_in_frame"], 37)
        #expect(try await decode(Self.path(capture), options) == "36\n\n\n")
    }

    /// The roles follow from the event that opened the connection; source and destination depend on the direction.
    @Test func endsOfDataHaveTheirRoles() async throws {
        let fields = ["hci_h4.direction", "bthci_acl.src.role", "bthci_acl.dst.role"]
        let opened = try await Self.rows("two-peers-equal-handles/capture.btsnoop", fields, where: "bthci_acl")
        #expect(Set(opened) == [["0x00", "1", "2"], ["0x01", "2", "1"]])
        let unknown = try await Self.rows("mid-connection/capture.btsnoop", fields, where: "bthci_acl")
        #expect(Set(unknown) == [["0x00", "0", "0"], ["0x01", "0", "0"]])
    }

    /// The Battery Level's descriptor, the end of its service, and characteristics of two services.
    @Test func listedAttributesHaveTheirTypesServicesAndCharacteristics() async throws {
        let rows = try await Self.rows(
            "two-peers-equal-handles/capture.btsnoop",
            ["frame.number", "btatt.handle", "btatt.uuid16", "btatt.service_uuid16", "btatt.characteristic_uuid16"],
            where: "frame.number in {6, 8, 10, 18}")
        #expect(
            rows == [
                ["6", "0x0001,0x0006", "0x1800,0x1800,0x180f,0x180f,0x2800", "", ""],
                ["8", "0x000a", "0x2800", "", ""],
                [
                    "10", "0x0002,0x0003,0x0004,0x0005", "0x2803,0x2a00,0x2a00,0x2803,0x2a01,0x2a01,0x2803",
                    "0x1800,0x1800,0x1800,0x1800", "",
                ],
                ["18", "0x0009", "0x2902,0x2902", "0x180f", "0x2a19"],
            ])
    }

    @Test func dataOfAChannelHaveItsPSM() async throws {
        let data = try await Self.rows(
            "credit-based-channel/capture.btsnoop", ["btl2cap.psm"], where: "btl2cap.cid >= 0x40")
        #expect(!data.isEmpty)
        #expect(data.allSatisfy { $0[0].hasPrefix("0x") })
    }

    @Test func timesCountFromTheFirstFrameAndTheOneBefore() async throws {
        let rows = try await Self.rows(
            "two-peers-equal-handles/capture.btsnoop",
            ["frame.number", "frame.time_relative", "frame.time_delta", "frame.time"],
            where: "frame.number in {1, 33, 34}")
        #expect(
            rows == [
                ["1", "0.000000000", "0.000000000", "Mar  1, 2026 12:00:00.000000000 UTC"],
                ["33", "0.240000000", rows[1][2], "Mar  1, 2026 12:00:00.240000000 UTC"],
                ["34", "0.247500000", "0.007500000", "Mar  1, 2026 12:00:00.247500000 UTC"],
            ])
    }

    @Test func theTimeBeforeABatchIsKnown() throws {
        let session = HCISession()
        let puck = session.connect(to: DeviceAddress(Address(value: 1), .public))
        puck.notify(8, [98])
        var packets = session.recording.batch
        var second = packets
        second.packets.removeFirst()
        packets.packets.removeLast()
        var tracker = Tracker()
        let first = tracker.track(packets)
        let other = tracker.track(second)
        let times = session.recording.batch.packets.map(\.time)
        #expect(first.time(before: first.metadata[0].packet) == times[0])
        #expect(other.time(before: other.metadata[0].packet) == times[0])
    }

    /// The time formats of an output line.
    @Test(arguments: [
        (TextPrinter.TimeFormat.relative, "0.247500"), (.delta, "0.007500"), (.clock, "12:00:00.247500"),
        (.dateAndClock, "2026-03-01 12:00:00.247500"), (.utcClock, "12:00:00.247500"),
        (.utcDateAndClock, "2026-03-01 12:00:00.247500"), (.dayOfYearAndClock, "2026/060 12:00:00.247500"),
        (.utcDayOfYearAndClock, "2026/060 12:00:00.247500"), (.deltaShown, "0.000000"), (.epoch, "1772366400.247500"),
    ])
    func textHasTheTimeThatIsAskedFor(format: TextPrinter.TimeFormat, time: String) async throws {
        var options = try Self.options(.text, "frame.number == 34")
        options.timeFormat = format
        let text = try await decode(Self.path("two-peers-equal-handles/capture.btsnoop"), options)
        #expect(text.contains(" \(time) ← Counter "))
    }

    /// Frames are printed on several threads, in runs of 256 KiB; the time since the previously shown frame spans those
    /// runs.
    @Test func timesSinceTheFrameShownBeforeSkipThoseThatAreNotShown() async throws {
        let session = HCISession()
        let link = session.connect(to: DeviceAddress(Address(value: 0xC0_FFEE_000001), .random))
        for number in 0..<12_000 {
            if number.isMultiple(of: 3) { link.notify(0x0008, [98]) } else { link.write(0x0009, [1, 0]) }
        }
        let folder = try TemporaryFolder()
        let path = folder.path("long.btsnoop")
        try Data(session.recording.btsnoop()).write(to: URL(filePath: path))
        var options = try Self.options(.text, "btatt.opcode == 0x1b")
        options.timeFormat = .deltaShown
        let times = try await decode(path, options).split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true)[1]
        }
        #expect(times.count == 4000)
        #expect(times.first == "0.000000")
        // A notification, and two writes with their responses, 7.5 ms each.
        #expect(Set(times.dropFirst()) == ["0.037500"])
    }

    /// An advertised name with a line feed and an escape character.
    @Test(arguments: [DecodeOptions.Format.fields, .csv])
    func aNameFromElsewhereIsEscaped(format: DecodeOptions.Format) async throws {
        let capture = try Capture([(.received, "04 3e 12 02 01 00 01 665544332211 06 05 09 610a621b c4")])
        var options = try Self.options(format)
        options.fields = ["peer_name"]
        let text = try await capture.decode(options).joined(separator: "\n")
        #expect(text.contains(#"a\nb\x1b"#) && !text.contains("\u{1b}"))
    }

    @Test func theListsColumnsAreThere() async throws {
        let capture = "two-peers-equal-handles/capture.btsnoop"
        let rows = try await Self.rows(
            capture, ["frame.protocols", "_ws.col.Protocol", "_ws.col.Info"], where: "frame.number == 33")
        let line = try await decode(Self.path(capture), Self.options(.text, "frame.number == 33"))
        #expect(rows.map { Array($0[..<2]) } == [["bluetooth:hci_h4:bthci_acl:btl2cap:btatt", "ATT"]])
        #expect(line.hasSuffix("  \(rows[0][2])\n"))
        #expect(rows[0][2].hasPrefix("Handle Value Notification"))
    }

    /// As printed by tshark 4.0.17.
    @Test(arguments: [
        ("beacons/capture.btsnoop", "1", "bluetooth.addr_str", "controller,host"),
        ("beacons/capture.btsnoop", "1", "frame.protocols", "bluetooth:hci_h4:bthci_evt:btcommon"),
        ("beacons/capture.btsnoop", "1", "btcommon.eir_ad.advertising_data", "1"),
        ("two-peers-equal-handles/capture.btsnoop", "33", "bluetooth.addr_str", ""),
        ("bad-crc/capture.pcap", "5", "btle.retransmit", "1"),
        ("bad-crc-unflagged/capture.pcap", "4", "btle.master_bd_addr", "00:1a:7d:da:71:01"),
        ("bad-crc-unflagged/capture.pcap", "4", "btle.slave_bd_addr", "c0:ff:ee:00:00:01"),
    ])
    func fieldsHaveTsharksValues(capture: String, frame: String, field: String, value: String) async throws {
        let rows = try await Self.rows(capture, ["frame.number", field], where: "frame.number == \(frame)")
        #expect(rows == [[frame, value]])
    }

    @Test func theAdaptersNameIsWrittenOrRead() async throws {
        for (opcode, isCommand) in [(0x0C13 as UInt16, true), (0x0C14, false)] {
            let session = HCISession()
            let name = Array("Tablet".utf8) + Array(repeating: 0, count: 242)
            let code = [UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8)]
            if isCommand {
                session.command(code + [248] + name)
            } else {
                session.event([0x0E, 252, 1] + code + [0] + name)
            }
            let puck = session.connect(to: DeviceAddress(Address(value: 1), .public))
            puck.notify(8, [98])
            var tracker = Tracker()
            var batch = tracker.track(session.recording.batch)
            tracker.name(&batch)
            let last = try #require(batch.metadata.last)
            #expect(batch.devices[last.receiver]?.name == "Tablet")
        }
    }

    @Test func logTextsAreTextInEveryOutput() async throws {
        for (capture, field, text) in [
            ("log-texts-monitor/capture.pcap", "hci_mon.system_note", "Bluetooth daemon 5.66"),
            ("log-texts-packetlogger/capture.pklg", "packetlogger.info", "bluetoothd: link to Puck is up"),
        ] {
            let rows = try await Self.rows(capture, [field], where: "\(field) contains \"\(text)\"")
            #expect(rows == [[text]])
            for format in [DecodeOptions.Format.text, .ndjson] {
                let output = try await decode(Self.path(capture), Self.options(format))
                #expect(output.contains(text), "\(format)")
            }
        }
        let secret = try await decode(Self.path("log-texts-packetlogger/capture.pklg"), Self.options(.ndjson))
        #expect(!secret.contains("link key of a device"))
    }

    @Test func valuesReadByTypeBeforeDiscoveryAreReadByIt() async throws {
        let rows = try await Self.rows(
            "read-by-type-first/capture.btsnoop", ["gatt.characteristic", "device.message"],
            where: "btatt.opcode == 0x09")
        #expect(rows == [["Device Name", "device_name"], ["Battery Level", "battery_level"]])
    }

    @Test func declarationsThatAreReadTeachTheTable() async throws {
        let capture = "declaration-read/capture.btsnoop"
        let rows = try await Self.rows(
            capture, ["btatt.handle", "btatt.characteristic_properties"],
            where: "btatt.opcode in {0x0b, 0x0d} && btatt.characteristic_properties")
        #expect(rows.map { $0[1] } == ["0x02", "0x02", "0x12", "0x10"])
        // The handle of the request comes first, as in tshark.
        #expect(rows.map { $0[0] } == ["0x0002,0x0003", "0x0004,0x0005", "0x0007,0x0008", "0x000b,0x000c"])
        // Only the handle is requested: columns do not depend on each other.
        let alone = try await Self.rows(capture, ["btatt.handle"], where: "btatt.opcode == 0x0d")
        #expect(alone == rows.prefix(1).map { [$0[0]] })
        let names = try await Self.rows(capture, ["gatt.characteristic"], where: "btatt.opcode == 0x1b")
        #expect(names == [["4d454144-4f57-0009-8000-00534f494c00"]])
    }

    /// A characteristic is a field that is present with its values, whatever their type is called; so is an alias.
    @Test func characteristicsAndAliasesAreFields() async throws {
        let capture = "aquavate-sync/capture.btsnoop"
        let named = try await Self.rows(
            capture, ["frame.number"], where: "gatt.characteristic == \"Drink Data\" && btatt.opcode == 0x1b")
        let found = try await Self.rows(
            capture, ["frame.number"], where: "aquavate.drink_data && btatt.opcode == 0x1b")
        #expect(!found.isEmpty)
        #expect(found == named)
        let levels = try await Self.rows(
            capture, ["aquavate.current_state.level", "aquavate.current_state.bottle_level"],
            where: "aquavate.current_state.bottle_level")
        #expect(!levels.isEmpty)
        #expect(levels.allSatisfy { !$0[0].isEmpty && $0[0] == $0[1] })
    }

    /// Filtering does not change the output lines.
    @Test(arguments: ["connection == 1", "peer == \"c0:ff:ee:00:00:01\" && !peer_name"])
    func aFilterChangesNoLine(_ filter: String) async throws {
        let path = Self.path("interleaved-fragments/capture.btsnoop")
        let whole = try await decode(path, Self.options(.text)).split(separator: "\n")
        let filtered = try await decode(path, Self.options(.text, filter)).split(separator: "\n")
        #expect(!filtered.isEmpty)
        #expect(filtered.allSatisfy { whole.contains($0) })
    }

    /// UUIDs of the member range name services; devices use them freely for characteristics.
    @Test func aMembersUUIDNamesNoCharacteristic() {
        let table = ServerLayout(.service(0xFFF0, .characteristic(0xFFF3, [.notify], descriptors: 0xFFF3))).table
        let text = GATT.TableFile(devices: [.init(address: nil, table: table)]).json.text
        #expect(text.contains("0xfff3"))
        #expect(!text.contains("FiRa Consortium"))
    }

    /// pcapng packets may have several comments; tshark shows each as an occurrence of `frame.comment`.
    @Test func commentsOfAPacketAreApart() async throws {
        let folder = try TemporaryFolder()
        let comments = ["first", "second"].flatMap { CaptureBuilder.option(1, Array($0.utf8)) }
        let path = try folder.file(
            "capture.pcapng",
            CaptureBuilder.sectionHeader() + CaptureBuilder.interface(187)
                + CaptureBuilder.enhancedPacket(hex("01 030c00"), options: comments))
        var options = try Self.options(.fields, "frame.comment == \"second\"")
        options.fields = ["frame.comment"]
        #expect(try await decode(path, options).split(separator: "\n") == ["first,second"])
        options.format = .text
        #expect(
            try await decode(path, options).split(separator: "\n").dropFirst() == [
                "        # first", "        # second",
            ])
        options.format = .ndjson
        let line = try await decode(path, options).trimmingCharacters(in: .newlines)
        let object = try JSONValue(reading: Array(line.utf8))
        #expect(object["comment"]?.elements.compactMap(\.string) == ["first", "second"])
    }

    /// Names and decoding come from the plugin that describes the device.
    @Test func aServiceOfAnotherPluginsDeviceIsNotNamed() async throws {
        var options = try Self.options(.text)
        options.plugins = try PluginLibrary.load(
            [Self.path("soil-sensor/profile.yaml")], environment: [:], extent: .decoding
        ).plugins
        for format in DecodeOptions.Format.allCases where format == .text || format == .ndjson {
            options.format = format
            let output = try await decode(Self.path("tutorial-service/capture.btsnoop"), options)
            #expect(!output.lowercased().contains("aquavate"), "\(format)")
            #expect(output.contains("12345678-1234-5678-1234-56789abcdef1"))
        }
        let reader = try CaptureReader(path: Self.path("tutorial-service/capture.btsnoop"))
        var job = StatisticsJob()
        job.plugins = options.plugins
        var report = StatisticsReport(try await job.run(reader) { _ in true }, of: reader)
        let page = report.text()
        #expect(!page.contains("Aquavate"))
        #expect(
            page.contains("12345678-1234-5678-1234-56789abcdef0 / 12345678-1234-5678-1234-56789abcdef1"),
            "a name is not cut")
    }
}
