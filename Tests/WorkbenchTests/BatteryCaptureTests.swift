import BatteryTrace
import Bluetooth
import Bytes
import Captures
import Foundation
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// From the radio to the estimate: a charging battery notifies its level, the capture is read, and the power estimated.
@Suite struct BatteryCaptureTests {
    static let layout = ServerLayout(
        .service(0x1800, .characteristic(0x2A00, [.read])),
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)))

    /// A charge from 20 % to 80 % as a capture: discovery, one read, and a notification for each per cent.
    private func capture(of curve: ChargeCurve) throws -> (bytes: [UInt8], seconds: Double) {
        let session = HCISession()
        let phone = session.connect(to: DeviceAddress(Address(value: 0xC0_FFEE_000003), .random))
        phone.discover(Self.layout)
        let start = session.recording.time
        phone.read(Self.layout[0x2A19], [20])
        phone.subscribe(Self.layout[0x2A19, 0x2902])
        var percent = 20
        var seconds = 0.0
        while percent < 80 {
            seconds += 0.5
            guard Int(curve.level(atSeconds: seconds) * 100 + 1e-9) > percent else { continue }
            percent += 1
            session.recording.time = Timestamp(nanoseconds: start.nanoseconds + Int64(seconds * 1e9))
            phone.notify(Self.layout[0x2A19], [UInt8(percent)])
        }
        return (try session.recording.btsnoop(), seconds)
    }

    static let curves = [
        ChargeCurve(capacity: 3274, watts: 20, startLevel: 0.2),
        ChargeCurve(capacity: 3274, watts: 15, connection: .wireless, startLevel: 0.2),
        ChargeCurve(capacity: 1200, watts: 2, startLevel: 0.2),
    ]

    @Test(arguments: curves.indices)
    func theMeanPowerOfAChargeLiesWithinFivePercent(_ index: Int) throws {
        let curve = Self.curves[index]
        let (bytes, seconds) = try capture(of: curve)
        try withFile(bytes) { path in
            let (content, reader, _) = try InputContent.read(path, values: [0x2A19]) { _ in true }
            #expect(reader != nil)
            guard case .values(let values) = content.content else {
                Issue.record("the capture was not recognised")
                return
            }
            #expect(values.map { $0.value } == (20...80).map { [UInt8($0)] })
            #expect(values.map(\.operation) == [.read] + Array(repeating: .notify, count: 60))
            #expect(Set(values.map(\.peer.title)) == ["c0:ff:ee:00:00:03"])
            let command = try #require(
                BuiltInPlugins.commandGroups.first { $0.name == "battery" }?.commands.first { $0.name == "estimate" })
            let output = try command.run(
                CommandInput(
                    values: ["file": .content(content), "capacity": .number(curve.capacity), "json": .flag],
                    now: Timestamp(nanoseconds: 0)))
            guard case .array(let sources)? = try JSONValue(reading: Array(output.text.utf8))["sources"],
                case .array(let sessions)? = sources.first?["sessions"],
                let watts = sessions.first?["avg_w"]?.number
            else {
                Issue.record("no power was estimated: \(output.text)")
                return
            }
            #expect(sources.count == 1 && sessions.count == 1)
            #expect(abs(watts / curve.meanWatts(from: 0, to: seconds) - 1) < 0.05, "\(watts) W")
        }
    }

    /// The phone on one adapter of a recording and its client on another, as `battery monitor --record` has them on
    /// `radio:`. The last value of a lost link does not arrive.
    @Test(arguments: [true, false])
    func aRecordingOfBothEndsHasEachSessionOnce(_ allArrive: Bool) throws {
        let (phone, app) = (Address(value: 0x0242_0000_0001), Address(value: 0x0242_0000_0002))
        let own = HCISession()
        own.readAddress(phone)
        let other = HCISession(own.recording, adapter: 1)
        other.report(DeviceAddress(phone, .public), [.completeLocalName("Phone")])
        let sent = own.connect(to: DeviceAddress(app, .public), role: .peripheral)
        let received = other.connect(to: DeviceAddress(phone, .public))
        for link in [sent, received] { link.discover(Self.layout) }
        for percent in 50...60 as ClosedRange<UInt8> {
            sent.notify(Self.layout[0x2A19], [percent])
            if allArrive || percent < 60 { received.notify(Self.layout[0x2A19], [percent]) }
            own.recording.wait(milliseconds: 60_000)
        }
        try withFile(try own.recording.file(.btsnoop, .linuxMonitor)) { path in
            let (content, _, _) = try InputContent.read(path, values: [0x2A19]) { _ in true }
            let command = try #require(
                BuiltInPlugins.commandGroups.first { $0.name == "battery" }?.commands.first { $0.name == "estimate" })
            let output = try command.run(
                CommandInput(
                    values: ["file": .content(content), "capacity": .number(3274), "save": .flag],
                    now: Timestamp(nanoseconds: 0)))
            #expect(output.notes == ["1 session kept"])
            let title = allArrive ? "Phone" : "02:42:00:00:00:01"
            #expect(output.text.contains("\n\(title): 11 samples "), "\(output.text)")
            #expect(output.text.split(separator: "\n").filter { $0.contains(" samples ") }.count == 1)
        }
    }

    /// Input that is no capture is passed on unchanged; unrecognized input is rejected.
    @Test func otherFilesAreToldByTheirContent() throws {
        try withFile(Array("time,level\n0,0.5\n".utf8)) { path in
            let (content, reader, _) = try InputContent.read(path, values: [0x2A19]) { _ in true }
            #expect(content == InputContent(name: path, content: .bytes(Array("time,level\n0,0.5\n".utf8))))
            #expect(reader == nil)
        }
        for bytes in [[], Array("PK\u{3}\u{4}\0\0".utf8), [0xFF, 0xFE, 0x41, 0]] as [[UInt8]] {
            try withFile(bytes) { path in
                #expect(throws: CaptureError.self) { try InputContent.read(path, values: []) { _ in true } }
            }
        }
    }

    /// A capture that begins within a connection, and a table file that names its attributes.
    @Test func valuesAreNamedByImportedTables() throws {
        let peer = DeviceAddress(Address(value: 0xC0_FFEE_000003), .random)
        let session = HCISession()
        let phone = session.connect(to: peer)
        phone.notify(Self.layout[0x2A19], [55])
        var table = GATT.Table()
        _ = table.learn(
            GATT.Table.Characteristic(
                declaration: Handle(Self.layout[0x2A19].rawValue - 1), value: Self.layout[0x2A19],
                properties: [.read, .notify], type: 0x2A19))
        var tables = GATT.KnownTables()
        tables.byAddress[peer] = table
        try withFile(try session.recording.btsnoop()) { path in
            for (tables, expected) in [(GATT.KnownTables(), []), (tables, [[55]])] as [(GATT.KnownTables, [[UInt8]])] {
                let content = try InputContent.read(path, values: [0x2A19], tables: tables) { _ in true }.content
                guard case .values(let values) = content.content else { continue }
                #expect(values.map(\.value) == expected)
            }
        }
    }

    /// Writes to the requested types are found, unless the server refuses them.
    @Test func writesAreOfTheServerThatTakesThem() throws {
        let layout = ServerLayout(.service(0x1815, .characteristic(0x2A56, [.read, .write, .writeWithoutResponse])))
        let session = HCISession()
        let phone = session.connect(to: DeviceAddress(Address(value: 0xC0_FFEE_000003), .random))
        phone.discover(layout)
        let handle = layout[0x2A56]
        phone.write(handle, [1])
        phone.request(ATT.WriteRequest(handle: handle, value: [2]))
        phone.refuse(.writeRequest, handle, .writeNotPermitted)
        phone.writeCommand(handle, [3])
        phone.read(handle, [4])
        try withFile(try session.recording.btsnoop()) { path in
            func values(
                _ types: Set<Bluetooth.UUID>, _ writes: Set<Bluetooth.UUID>
            ) throws -> [ObservedValue] {
                let content = try InputContent.read(path, values: types, writes: writes) { _ in true }.content
                guard case .values(let values) = content.content else { return [] }
                return values
            }
            let all = try values([0x2A56], [0x2A56])
            #expect(all.map(\.value) == [[1], [3], [4]])
            #expect(all.map(\.operation) == [.write, .write, .read])
            #expect(Set(all.map(\.peer.address)) == ["c0:ff:ee:00:00:03"])
            #expect(try values([0x2A56], []).map(\.value) == [[4]])
            #expect(try values([], [0x2A56]).map(\.value) == [[1], [3]])
        }
    }

    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try body(folder.file("battery", bytes))
    }
}

/// The folders for a command's files.
@Suite struct UserFolderTests {
    @Test func theEnvironmentTellsTheFolders() {
        let home = ["HOME": "/home/me"]
        #expect(UserFolder.data(environment: home).path == "/home/me/.local/share/gattbench")
        #expect(UserFolder.settings(environment: home).path == "/home/me/.config/gattbench")
        let xdg = ["HOME": "/home/me", "XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "relative"]
        #expect(UserFolder.data(environment: xdg).path == "/data/gattbench")
        #expect(UserFolder.settings(environment: xdg).path == "/home/me/.config/gattbench")
    }

    @Test func filesAreMadeContinuedAndRemoved() throws {
        let root = try TemporaryFolder()
        let folder = UserFolder(path: root.path("deep/down"))
        let path = folder.path + "/a.csv"
        func content() throws -> String? {
            try folder.read(["a.csv"])["a.csv"]?.bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try folder.read(["a.csv"]) == ["a.csv": KeptFile(path: path, bytes: nil)])
        try folder.apply(["a.csv": .append(Array("one\n".utf8))])
        #expect(try content() == "one\n")
        try folder.apply(["a.csv": .append(Array("two\n".utf8))])
        #expect(try content() == "one\ntwo\n")
        try folder.apply(["a.csv": .remove])
        #expect(try content() == nil)
        #expect(throws: KeptFileError.self) { try folder.apply(["a.csv": .remove]) }
        #expect(throws: KeptFileError.self) { try UserFolder(path: "/dev/null").apply(["a": .append([])]) }
    }
}
