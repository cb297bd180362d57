import Bluetooth
import Captures
import Conformance
import Conversation
import Dissection
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Transports
import Workbench

/// Our emulated devices, with Bumble's central as the client on our radio.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleClientTests {
    /// A device that consists of its profile is found, discovered, read, written, subscribed to, disconnected and found
    /// again.
    @Test func aProfileIsAPeripheralForOthers() async throws {
        let plugin = try #require(try PluginLibrary.builtIn()["lifecount"]?.plugin)
        // Without the plugin's Swift code.
        let visit = try await Visit(
            to: DevicePlugin(plugin.profile), name: "LifeCount-A5C3",
            steps: [
                "table", "read:2A19", "subscribe:\(Counter.status)", "subscribe:\(Counter.controlPoint)",
                "write:\(Counter.controlPoint)=04", "await:\(Counter.controlPoint)", "reconnect", "read:2A29",
            ])
        #expect(visit.table == plugin.expectedTable(dialect: nil))
        let answers = visit.output.filter { ["read", "notified"].contains($0.prefix { $0 != " " }) }
        #expect(
            answers == ["read 2A19 57", "notified \(Counter.controlPoint) 800400", "read 2A29 4c696665436f756e74"])
        #expect(visit.happened.count { $0.contains(#""event":"connected""#) } == 2)
    }

    /// The counter with its behaviour, and passing people.
    @Test func aCounterTellsWhoPasses() async throws {
        let plugin = try #require(try PluginLibrary.builtIn()["lifecount"]?.plugin)
        let visit = try await Visit(
            to: plugin, name: "LifeCount-A5C3", scenario: ["after: subscribed, do: [click_in, click_in, click_out]"],
            steps: [
                "table", "read:\(Counter.info)", "subscribe:\(Counter.controlPoint)", "subscribe:\(Counter.event)",
                "await:\(Counter.event)", "await:\(Counter.event)", "await:\(Counter.event)",
                "refuse:\(Counter.status)=00", "write:\(Counter.controlPoint)=0502000000",
                "await:\(Counter.controlPoint)",
            ])
        #expect(visit.table == plugin.expectedTable(dialect: nil))
        // Delta, then the event's number
        let events = visit.output.filter { $0.hasPrefix("notified \(Counter.event)") }
            .map { $0.dropFirst(48).prefix(10) }
        #expect(events == ["0100000000", "0101000000", "ff02000000"])
        #expect(visit.output.contains("refused \(Counter.status) 3"))
        #expect(visit.output.last { $0.hasPrefix("notified") } == "notified \(Counter.controlPoint) 800500")
    }

    /// A hundred drinks in chunks of 17, each acknowledged; then the client disconnects and reconnects.
    @Test func aPuckHandsOutAHundredDrinks() async throws {
        let plugin = try #require(try PluginLibrary.builtIn()["aquavate"]?.plugin)
        let chunk = ["await:\(Puck.drinkData)", "write:\(Puck.syncControl)=0000000002000000"]
        let visit = try await Visit(
            to: plugin, name: "Aquavate-A3F2", scenario: ["do: [{history: 100}, motion]"],
            steps: [
                "table", "subscribe:\(Puck.drinkData)", "read:\(Puck.syncControl)",
                "write:\(Puck.syncControl)=0000640001001100",
            ] + Array(repeating: chunk, count: 6).flatMap { $0 } + [
                "read:\(Puck.syncControl)", "reconnect", "read:\(Puck.bottleConfig)",
            ])
        #expect(visit.table == plugin.expectedTable(dialect: "shipped"))
        // The number of pending records in Sync Control.
        let waiting = visit.output.filter { $0.hasPrefix("read \(Puck.syncControl)") }
            .map { $0.dropFirst(46).prefix(4) }
        #expect(waiting == ["6400", "0000"])
        // The number of drinks in a chunk.
        let counts = visit.output.filter { $0.hasPrefix("notified") }.map { $0.dropFirst(54).prefix(2) }
        #expect(counts == ["11", "11", "11", "11", "11", "0f"])
        #expect(visit.happened.count { $0.contains(#""event":"connected""#) } == 2)
    }

    /// Bumble begins a calibration and receives each state, while the scenario handles the bottle.
    @Test func aPuckIsCalibrated() async throws {
        let plugin = try #require(try PluginLibrary.builtIn()["aquavate"]?.plugin)
        let visit = try await Visit(
            to: plugin, name: "Aquavate-A3F2",
            scenario: [
                "do: [pour_out, motion]", #"expect: calibration, where: 'state == "wait_full"', within: 2 min"#,
                "do: {refill: 830 ml}",
            ],
            steps: ["subscribe:\(Puck.calibrationState)", "write:\(Puck.command)=20000000"]
                + Array(repeating: "await:\(Puck.calibrationState)", count: 7)
                + ["read:\(Puck.calibrationState)", "read:\(Puck.bottleConfig)"])
        // The number of the state, then flags and the readings of the empty and the full bottle.
        let reported = visit.output.filter { $0.hasPrefix("notified \(Puck.calibrationState)") }
            .map { $0.dropFirst(46) }
        #expect(reported.map { $0.prefix(2) } == ["01", "02", "03", "04", "06", "07", "09"])
        let done = try #require(reported.last)
        #expect(visit.output.contains("read \(Puck.calibrationState) \(done)"))
    }

    private enum Puck {
        static let bottleConfig = "6F75616B-7661-7465-2D00-000000000002"
        static let syncControl = "6F75616B-7661-7465-2D00-000000000003"
        static let drinkData = "6F75616B-7661-7465-2D00-000000000004"
        static let command = "6F75616B-7661-7465-2D00-000000000005"
        static let calibrationState = "6F75616B-7661-7465-2D00-000000000008"
    }

    private enum Counter {
        static let event = "4C434E54-0002-4C69-6665-436F756E7400"
        static let info = "4C434E54-0003-4C69-6665-436F756E7400"
        static let status = "4C434E54-0004-4C69-6665-436F756E7400"
        static let controlPoint = "4C434E54-0005-4C69-6665-436F756E7400"
    }
}

/// A complete session: our device on one controller of our radio, and Bumble on the other.
struct Visit {
    /// Bumble's output.
    let output: [String]
    /// The device's events, as JSON lines.
    let happened: [String]

    /// - Parameters:
    ///   - scenario: The scenario's steps, each in YAML without its braces; empty for no scenario.
    ///   - steps: The steps of bumble_client.py.
    init(to plugin: DevicePlugin, name: String, scenario: [String] = [], steps: [String]) async throws {
        let folder = try TemporaryFolder()
        let capture = folder.path("visit.btsnoop")
        let radio = try RunningRadio(record: capture)
        var options = EmulateOptions(plugin: plugin, transport: try TransportSpec(radio.clients[0]))
        options.duration = .seconds(300)
        if !scenario.isEmpty {
            options.scenario = try ScenarioLibrary(.builtIn()).read(
                "scenario: x\nplugin: \(plugin.id)\nsteps: [{\(scenario.joined(separator: "}, {"))}]", file: "x.yaml")
        }
        let device = try RunningDevice(options)
        let isReady = device.isReady()
        #expect(isReady)
        let (status, said) = try Bumble.run("bumble_client.py", [radio.clients[1], name] + steps)
        #expect(status == 0, "\(said)")
        output = said.split(separator: "\n").map(String.init)
        happened = try await device.end().lines
        try await radio.end()
        if Tshark.path != nil {
            #expect(try Tshark.run(["-r", capture, "-Y", "_ws.malformed"]).isEmpty)
        }
        var job = CheckJob()
        let library = try PluginLibrary.builtIn()
        job.plugins = library[plugin.id] == nil ? PluginSet([plugin]) : library.plugins
        let report = try await job.run(CaptureReader(path: capture)) { _ in true }.report
        #expect(report.results.filter { $0.verdict == .fail }.map { report.rules[$0.rule].id } == [])
    }

    /// The characteristics that Bumble discovered, without the generic services of every device.
    var table: Set<String> {
        let general = ["00001800-", "00001801-"]
        return Set(
            output.filter { $0.hasPrefix("characteristic ") }.map { String($0.dropFirst(15)).lowercased() }
                .filter { line in !general.contains { line.hasPrefix($0) } })
    }
}

extension DevicePlugin {
    /// The characteristics that a client should find, formatted as by bumble_client.py.
    fileprivate func expectedTable(dialect: String?) -> Set<String> {
        var rows: Set<String> = []
        let valued = Set(profile.profile.emulation?.values.map(\.characteristic) ?? [])
        for service in profile.profile.services where service.dialect == nil || service.dialect == dialect {
            for one in service.characteristics where !one.isOptional || valued.contains(one.name) {
                let tells = !one.properties.isDisjoint(with: [.notify, .indicate])
                let descriptors = (tells ? [UUID(0x2902)] : []) + one.descriptors.map(\.uuid)
                let names = [service.uuid, one.uuid].map { $0.full }
                rows.insert(
                    "\(names[0]) \(names[1]) \(one.properties.rawValue) "
                        + descriptors.map { $0.full }.joined(separator: "+"))
            }
        }
        return rows
    }
}

extension UUID {
    fileprivate var full: String {
        let digits = String(value, radix: 16)
        var text = String(repeating: "0", count: 32 - digits.count) + digits
        for position in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: position)) }
        return text
    }
}
