import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection
import Foundation
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Workbench

/// tshark with an exported script prints the same as `decode`, field by field.
@Suite(.enabled(if: LuaComparison.tshark != nil, "tshark is not installed"))
struct WiresharkExportTests {
    /// Our captures with values that a plugin decodes.
    static let captures = [
        ("aquavate", "aquavate-sync"), ("aquavate", "aquavate-calibration"), ("aquavate", "aquavate-prd"),
        ("aquavate", "aquavate-activity"), ("aquavate", "aquavate-truncated-chunk"),
        ("aquavate", "aquavate-first-firmware"), ("lifecount", "lifecount-session"),
        ("lifecount", "lifecount-integrity"), ("standard", "aquavate-sync"), ("standard", "lifecount-session"),
        ("standard", "weather-station"), ("standard", "battery-charging"), ("batterytrace", "battery-charging"),
        ("standard", "several-values"),
    ]

    @Test(arguments: captures)
    func aCaptureReadsTheSame(plugin: String, name: String) async throws {
        let entry = try #require(try PluginLibrary.builtIn()[plugin])
        let comparison = try await LuaComparison(entry.plugin, Self.capture(name))
        #expect(comparison.differences == [])
        #expect(comparison.values > 0)
    }

    /// Discovery takes precedence over a given table, whether it is correct or belongs to another device.
    @Test(arguments: ["aquavate-calibration", "lifecount-integrity"])
    func discoveryGoesBeforeTables(of other: String) async throws {
        let entry = try #require(try PluginLibrary.builtIn()["aquavate"])
        let comparison = try await LuaComparison(
            entry.plugin, Self.capture("aquavate-sync"), tablesOf: Self.capture(other))
        #expect(comparison.differences == [])
        #expect(comparison.values > 100)
    }

    @Test(arguments: [["-2"], ["-2", "-R", "frame"]])
    func framesMayComeTwice(passes: [String]) async throws {
        let entry = try #require(try PluginLibrary.builtIn()["aquavate"])
        let comparison = try await LuaComparison(entry.plugin, Self.capture("aquavate-sync"), passes: passes)
        #expect(comparison.differences == [])
        #expect(comparison.values > 0)
    }

    @Test(arguments: [
        ("soil-sensor", "profile"), ("advertised-values", "profile"), ("advertised-values", "lamp"),
        ("jbd-battery", "profile"), ("obd-adapter", "profile"),
    ])
    func aDeviceOfTheUserReadsTheSame(name: String, file: String) async throws {
        let profile = Repository.path("captures/\(name)/\(file).yaml")
        let library = try PluginLibrary.load([profile], environment: [:])
        let plugin = try #require(library.named.first.flatMap { library[$0] }).plugin
        let comparison = try await LuaComparison(plugin, Self.capture(name))
        #expect(comparison.differences == [])
        #expect(comparison.values > 0)
    }

    private static func capture(_ name: String) -> URL {
        Repository.url("captures/\(name)/capture.btsnoop")
    }

    /// Every kind of field, with values of all lengths: arbitrary bytes cause no Lua error.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyKindOfFieldReadsTheSame(seed: UInt64) async throws {
        let profile = try ProfileReader.read(Self.everything, file: "everything.yaml")
        let plugin = DevicePlugin(try CompiledProfile(profile))
        let folder = try TemporaryFolder()
        let file = try folder.file("everything.btsnoop", Self.session(of: profile, seed: seed))
        // Two passes, as in gattbench: some conditions depend on characteristics discovered later.
        let comparison = try await LuaComparison(plugin, URL(filePath: file), passes: ["-2", "-R", "frame"])
        #expect(comparison.differences == [])
        #expect(comparison.values > 500)
    }

    /// A session in which every characteristic notifies random values, as a btsnoop file.
    private static func session(of profile: Profile, seed: UInt64) throws -> [UInt8] {
        var random = SplitMix64(seed: seed)
        let session = HCISession()
        let link = session.connect(to: DeviceAddress(try #require(Address("c0:ff:ee:00:00:01")), .random))
        link.exchangeMTU(client: 247, server: 247)
        let service = try #require(profile.services.first)
        var handle: UInt16 = 0x0010
        let layout = ServerLayout(first: handle, .service(service.uuid))
        link.discoverServices(layout)
        for characteristic in service.characteristics {
            let one = ServerLayout(first: handle, .service(service.uuid, .characteristic(characteristic.uuid, .notify)))
            link.discoverCharacteristics(one, one.services[0].start...one.services[0].end)
            handle += 3
            for length in 0...48 {
                let isText = characteristic.name == "texts" || characteristic.name == "word"
                let bytes = (0..<length).map { _ -> UInt8 in
                    let byte = UInt8(truncatingIfNeeded: random.next())
                    if isText { return 0x41 + byte % 26 }
                    // Small numbers are more frequent, for counts and cases.
                    return byte & 0xC0 == 0 ? byte & 3 : byte
                }
                link.notify(one[characteristic.uuid], bytes)
                if length % 5 == 0 { link.write(one[characteristic.uuid], bytes) }
            }
        }
        return try session.recording.btsnoop()
    }

    private static let everything = """
        profile: {id: everything, title: Everything, version: 1.0.0, format: 1}
        match: [{service: 11111111-0000-4000-8000-00805F9B34FB, weight: 100}]
        types:
          numbers:
            fields:
        \((1...8).map { """
              - {name: u\($0), type: u\(8 * $0)}
              - {name: i\($0), type: i\(8 * $0)}
              - {name: big_u\($0), type: u\(8 * $0), endian: big, rendering: hex}
              - {name: big_i\($0), type: i\(8 * $0), endian: big}
        """ }.joined(separator: "\n"))
          floats:
            fields:
              - {name: f16, type: f16}
              - {name: f32, type: f32, endian: big}
              - {name: f64, type: f64}
              - {name: short, type: sfloat}
              - {name: long, type: float}
          named:
            fields:
              - {name: state, type: u8, values: {0: idle, 1: {name: busy, title: Very busy}, 200: done}}
              - {name: valid, type: bool}
              - {name: temperature, type: i16, unit: °C, scale: {d: -2, offset: 1.5}, special: {0x8000: unknown}}
              - {name: time, type: u32, timestamp: {epoch: 2000-01-01, resolution: 500 ms}}
              - {name: firmware, type: u24, rendering: dotted}
              - {name: peer, type: address}
              - {name: short, type: uuid16}
              - {name: long, type: uuid128}
          parts:
            fields:
              - name: bits
                type: u24
                endian: big
                bits: [{name: low, bit: 0}, {name: height, bits: [1, 7], signed: true}, {name: wide, bits: [10, 23]}]
              - name: all
                type: u64
                bits: [{name: low, bits: [0, 31]}, {name: middle, bits: [32, 62]}, {name: top, bit: 63}]
          texts:
            fields:
              - {name: size, type: u8}
              - {name: fixed, type: string, length: 4}
              - {name: sized, type: string, length: size % 8}
              - {name: data, type: bytes, length: 'min(size, 3)'}
              - {name: rest, type: string}
          point:
            fields: [{name: x, type: i16}, {name: y, type: i16}, {name: hidden, type: bool}]
          lists:
            fields:
              - {name: size, type: u8}
              - {name: points, type: point, count: size & 3}
              - {name: numbers, type: u16, count: 3}
              - {name: sum_of_x, type: u8, when: sum(points.x) > 0}
              - {name: many, type: u8, when: count(points) >= 2}
              - {name: bytes_left, type: u8, count: rest}
          message:
            switch: {name: kind, type: u8}
            cases:
              - {value: 0, length: 1, name: empty}
              - {value: 0, name: longer, fields: [{name: value, type: u8}]}
              - {value: 1, name: inner, fields: [{name: point, type: point}, {name: mode, type: mode}]}
              - {value: 2, name: late, fields: [{name: a, type: u8, when: 'kind == 2 && length > 4'}]}
            otherwise: {name: other, fields: [{name: data, type: bytes}]}
          mode: {type: u8, values: {0: off_now, 1: slow, 2: fast}}
          optional:
            fields:
              - {name: mode, type: mode}
              - name: flags
                type: u8
                bits: [{name: has_time, bit: 0}, {name: has_point, bit: 1}, {name: kind, bits: [2, 3], values: {1: one}}]
              - {name: time, type: u32, when: flags.has_time}
              - {name: point, type: point, when: flags.has_point && mode != "slow"}
              - {name: after, type: u8, when: point.x > 0 || flags.kind == "one"}
              - {name: named, type: u8, when: 'u8(0) & 7 in {1, 3, 6..7}'}
              - {name: far, type: u8, when: 'max(time, 5) / 3 << 2 > 12 ^ 5'}
          word: {type: string}
          percent: {type: u8, unit: '%', range: [0, 100]}
          short_value: {fields: [{name: one, type: u8}]}
          long_value: {fields: [{name: first, type: u8}, {name: others, type: u16, count: rest}]}
        gatt:
          - service: 11111111-0000-4000-8000-00805F9B34FB
            name: everything
            characteristics:
        \(["numbers", "floats", "named", "parts", "texts", "lists", "message", "optional", "word", "percent"]
            .enumerated().map { """
              - {uuid: 1111111\(String($0 + 2, radix: 16))-0000-4000-8000-00805F9B34FB, name: \($1), properties: [notify, write], value: \($1)}
        """ }.joined(separator: "\n"))
              - uuid: 22222222-0000-4000-8000-00805F9B34FB
                name: chosen
                properties: [notify, write]
                value:
                  - {when: 'length < 4', type: short_value}
                  - {when: 'written(chosen, 0) == 1 && has(percent) && !has(chosen_not)', type: word}
                  - {type: long_value}
              - {uuid: 22222223-0000-4000-8000-00805F9B34FB, name: chosen_not, properties: [notify]}
        """
}

/// A capture decoded by gattbench and by tshark with the exported script.
struct LuaComparison {
    static let tshark = ["/usr/bin/tshark", "/usr/local/bin/tshark"].first(
        where: FileManager.default.isExecutableFile)

    /// Frame, field, our value and tshark's, where they differ; also tshark's standard error output.
    private(set) var differences: [String] = []
    /// Number of values compared.
    private(set) var values = 0

    /// - Parameters:
    ///   - capture: A capture file, with a file of attribute tables next to it if it lacks the discovery.
    ///   - other: Another capture whose attribute tables are used instead.
    ///   - passes: The arguments that select tshark's number of passes.
    init(_ plugin: DevicePlugin, _ capture: URL, tablesOf other: URL? = nil, passes: [String] = []) async throws {
        let tableFile = (other ?? capture).deletingLastPathComponent().appending(path: "gatt.json").path
        let tables = FileManager.default.fileExists(atPath: tableFile) ? try GATTFiles.read(tableFile) : .init()
        let fields = Self.fields(plugin)
        // Fields with Wireshark's own names get the plugin's prefix.
        let prefix = plugin.id + "."
        let theirNames = fields.map { $0.name.hasPrefix(prefix) ? $0.name : prefix + $0.name }
        let folder = try TemporaryFolder()
        let script = try folder.file("plugin.lua", ExportFormat.wiresharkLua.text(of: plugin, tables: tables).utf8)
        let theirs = try Self.run(
            [
                "-n", "-X", "lua_script:\(script)", "-r", capture.path, "-T", "fields",
            ] + passes + (["frame.number"] + theirNames).flatMap { ["-e", $0] })

        var options = DecodeOptions()
        options.plugins = PluginSet([plugin])
        options.guesses = false
        options.tables = tables
        options.format = .fields
        options.fields = ["frame.number"] + fields.map(\.name)
        let ours = Self.rows(try await decode(capture.path, options))
        if ours.count != theirs.rows.count { differences.append("\(ours.count) rows, not \(theirs.rows.count)") }
        differences += theirs.complaints
        for (our, their) in zip(ours, theirs.rows) {
            for (column, field) in fields.enumerated() {
                let (one, other) = (our[column + 1], their.count > column + 1 ? their[column + 1] : "absent")
                if one.isEmpty, other.isEmpty { continue }
                values += 1
                if !Self.isSame(one, other, field) {
                    differences.append("\(our[0]) \(field.name): \(one), not \(other)")
                }
            }
        }
        differences = Array(differences.prefix(20))
    }

    /// Every field with a value, one for each name.
    private static func fields(_ plugin: DevicePlugin) -> [Field] {
        var seen: Set<String> = []
        return plugin.profile.fields.filter { $0.format != .group && seen.insert($0.name).inserted }
    }

    private static func run(_ arguments: [String]) throws -> (rows: [[String]], complaints: [String]) {
        let process = Process()
        process.executableURL = URL(filePath: try #require(tshark))
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let lines = String(decoding: complaints, as: UTF8.self).split(separator: "\n").map(String.init)
        // tshark warns about running as root.
        return (rows(String(decoding: data, as: UTF8.self)), lines.filter { !$0.contains("root") })
    }

    private static func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    /// Whether two columns are equal.
    private static func isSame(_ one: String, _ other: String, _ field: Field) -> Bool {
        let ours = one.split(separator: ",").map(String.init)
        let theirs = plainTimes(other).split(separator: ",").map(String.init)
        return ours.count == theirs.count && zip(ours, theirs).allSatisfy { isSameValue($0, $1, field) }
    }

    /// Whether two texts are the same value: tshark prints floats with 15 digits, and 5-byte hexadecimal numbers with 8
    /// bytes.
    private static func isSameValue(_ one: String, _ other: String, _ field: Field) -> Bool {
        if one == other { return true }
        if case .timestamp = field.format {
            let parts = one.dropLast().split(separator: ".")
            let digits = parts.count > 1 ? parts[1] : ""
            return other == "\(parts[0]).\(digits)\(String(repeating: "0", count: 9 - digits.count))Z"
        }
        if case .hex = field.format, one.hasPrefix("0x"), other.hasPrefix("0x") {
            return UInt64(one.dropFirst(2), radix: 16) == UInt64(other.dropFirst(2), radix: 16)
        }
        guard let first = Double(one), let second = Double(other) else { return false }
        if first.isNaN || second.isNaN { return first.isNaN && second.isNaN }
        switch field.format {
        case .float(bytes: 2): return Float16(first) == Float16(second)
        case .float: return Float(first) == Float(second)
        default:
            guard field.format == .number || field.isMeasured else { return false }
            // We round to the number of decimals of the scale.
            let decimals = one.split(separator: ".").dropFirst().first?.count ?? 0
            let step = field.isMeasured ? (0..<decimals).reduce(0.5) { step, _ in step / 10 } : 0
            return abs(first - second) <= step * 1.001 + 1e-14 * max(abs(first), abs(second))
        }
    }

    /// Converts `Feb  1, 2026 12:00:00.500000000 UTC` to `2026-02-01T12:00:00.500000000Z`.
    private static func plainTimes(_ text: String) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return text.replacing(#/([A-Z][a-z]{2}) +(\d+), (\d{4}) ([\d:]+)\.(\d{9}) UTC/#) { match in
            let month = (months.firstIndex(of: String(match.1)) ?? 0) + 1
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(match.3)-\(two(month))-\(two(Int(match.2) ?? 0))T\(match.4).\(match.5)Z"
        }
    }
}
