import Bytes
import Captures
package import Conformance
import Conversation
package import DeviceTesting
import Emulation
package import PluginKit
import Profile
package import Transports

/// Options of `test client`.
package struct ClientTestOptions: Sendable {
    package var plugin: DevicePlugin
    package var transport: TransportSpec
    package var dialect: String?
    package var selection = CaseSelection()
    package var run = TestRun.Options()
    /// Quirks of the emulated device.
    package var quirks = QuirkSelection()
    /// Path of the capture to record all traffic to; nil for none.
    package var record: String?
    /// Folder for the captures of failed situations; nil for none.
    package var failures: String?
    /// Path of a file with the records that the client has stored; nil for none.
    package var stored: String?

    package init(plugin: DevicePlugin, transport: TransportSpec) {
        self.plugin = plugin
        self.transport = transport
    }
}

/// Emulates the device to test a client: an app on a phone, another program, or the plugin's client on the virtual
/// radio of this process.
package struct ClientTestJob {
    private let options: ClientTestOptions
    private let plugins: PluginSet
    private let dialect: String?
    package let situations: [Situation]
    private let isInterrupted: () -> Bool
    /// Receives the instructions to the person who operates the client.
    package var say: (String) -> Void = { _ in }

    package init(
        _ options: ClientTestOptions, _ library: PluginLibrary, isInterrupted: @escaping () -> Bool
    ) throws {
        self.options = options
        self.isInterrupted = isInterrupted
        plugins = library.plugins { _ in }
        let dialect = try options.plugin.dialect(options.dialect)
        self.dialect = dialect
        let scripts = try TestScripts.read(of: options.plugin, library)
        let all = scripts.flatMap { $0.situations(options.plugin, dialect: dialect) }
        guard !all.isEmpty else {
            throw TwinFault(
                "\(options.plugin.id) has no situations for clients; Tests/*.yaml beside its profile holds them")
        }
        try options.run.checkRules(of: plugins)
        situations = try options.selection.selected(
            all, option: "--situation", id: { $0.id }, tags: { $0.tags })
    }

    /// Runs the situations; `notify` receives each result as it is available. Ctrl-C ends the run; the report covers the
    /// completed situations.
    package func run(hands: any UpperTester, notify: (CaseResult) throws -> Void) throws -> CheckReport {
        let recorder = try options.record.map { try RadioRecorder.writer($0) }
        var link: TransportClientBed?
        if options.transport != .radio {
            link = try TransportClientBed(
                options.transport, hands: hands, tasks: options.plugin.tasks, isInterrupted: isInterrupted)
        }
        defer { link?.close() }
        var start = VirtualBed.morning
        var run = ClientRun(
            options.plugin, dialect: dialect, plugins: plugins, options.run,
            makeDevice: { try makeDevice(quirks: $0 ?? options.quirks) },
            makeBed: {
                if let link { return link }
                let client = ConnectedClient(
                    options.plugin.profile, client: options.plugin.makeClient(settings(options.quirks)),
                    seed: options.run.seed &+ 1)
                return VirtualClientBed(
                    client: client, seed: options.run.seed, start: start, isInterrupted: isInterrupted)
            })
        // On the virtual radio no person has to act.
        if link != nil { run.say = say }
        var last: [RecordedPacket] = []
        run.record = { packets in
            last = packets
            try recorder?.write(packets)
            // The next situation begins after this one, so that timestamps in the recording ascend.
            if let end = packets.last?.time { start = max(start, end + .seconds(10)) }
        }
        for situation in situations {
            do {
                let result = try run.run(situation)
                if result.verdict == .fail { try FailureFolder.keep(last, of: result, in: options.failures) }
                try notify(result)
            } catch TestStop.interrupted {
                break
            }
        }
        let comparison = options.stored.flatMap { compare($0, &run, link) }
        if let comparison { try notify(comparison) }
        try recorder?.flush()
        var report = run.report(named: options.record ?? "\(options.transport)")
        if let path = options.stored, let reason = reasonOfNoComparison(comparison) {
            report.omissions.append(
                Omission(.notCompared, plugin: options.plugin.id, text: "--expect-stored \(path): \(reason)"))
        }
        return report
    }

    /// Why the records of a file were not compared; nil if they were.
    private func reasonOfNoComparison(_ comparison: CaseResult?) -> String? {
        switch comparison?.verdict {
        case nil: "no situation that was run tells which records the client keeps"
        case .inconclusive(let reason)?: reason
        default: nil
        }
    }

    /// Compares a file with the records that the client should have stored, once the user has written it.
    private func compare(_ path: String, _ run: inout ClientRun, _ link: TransportClientBed?) -> CaseResult? {
        do {
            try link?.perform(.ask("\(path) holds the records that the client has stored"))
            return run.compare(try StoredRecords.read(path), in: path)
        } catch TestStop.interrupted {
            return nil
        } catch {
            return run.compare(nil, in: "\(error)")
        }
    }

    private func settings(_ quirks: QuirkSelection) -> TwinSettings {
        TwinSettings(dialect: dialect, seed: options.run.seed, quirks: quirks)
    }

    private func makeDevice(quirks: QuirkSelection) throws -> EmulatedDevice {
        var own = EmulatedDevice.Settings()
        own.dialect = dialect
        own.seed = options.run.seed
        own.reportsReads = true
        return try EmulatedDevice(options.plugin.profile, twin: options.plugin.makeTwin(settings(quirks)), own)
    }
}

/// Selection of cases for an active test.
package struct CaseSelection: Sendable {
    /// IDs, with `*` for any characters; empty for all. `settings` also selects `settings[value=1]`.
    package var ids: [String] = []
    /// Groups; empty for all.
    package var tags: [String] = []

    package init() {}

    /// The selected cases; throws for an ID or a tag that selects none.
    func selected<Case>(
        _ all: [Case], option: String, id: (Case) -> String, tags tagsOf: (Case) -> Set<String>
    ) throws -> [Case] {
        func isSelected(_ one: Case, by pattern: String) -> Bool {
            id(one).matches(pattern) || id(one).matches(pattern + "[*]")
        }
        for pattern in ids where !all.contains(where: { isSelected($0, by: pattern) }) {
            let near = Spelling.suggestion(for: pattern, among: all.map(id))
            throw TwinFault("\(option) \(pattern): there is no such case\(near)")
        }
        let known = all.reduce(into: Set<String>()) { $0.formUnion(tagsOf($1)) }
        for tag in tags where !known.contains(tag) {
            throw TwinFault("--tag \(tag): there is no such tag; tags are \(known.sorted().joined(separator: ", "))")
        }
        return all.filter { one in
            (ids.isEmpty || ids.contains { isSelected(one, by: $0) })
                && (tags.isEmpty || !tagsOf(one).isDisjoint(with: tags))
        }
    }
}

extension TestRun.Options {
    /// Throws for a rule that neither the specification nor a plugin defines.
    func checkRules(of plugins: PluginSet) throws {
        if rules.isEmpty { return }
        let known = ConformanceCheck(plugins: plugins, asksOracle: false).finish().ruleIDs
        for rule in rules.sorted() where !known.contains(rule) {
            let near = Spelling.suggestion(for: rule, among: known.sorted())
            throw TwinFault("--rule \(rule): there is no such rule\(near)")
        }
    }
}

/// Captures of failed cases; the comment of the first packet contains the command that repeats the case.
enum FailureFolder {
    static func keep(_ packets: [RecordedPacket], of result: CaseResult, in folder: String?) throws {
        guard let folder else { return }
        try TextFile.makeFolder(folder)
        let name = result.id.map { $0.isLetter || $0.isNumber || ".-_".contains($0) ? $0 : "_" }
        let writer = try CaptureWriter(
            path: "\(folder)/\(String(name)).pcapng", target: CaptureTarget(.pcapng, holding: .h4))
        try writer.write(packets, comment: ReplayedCases.comment(on: result))
        try writer.flush()
    }
}

/// A file of the records that a client has stored: CSV with a header line, or one JSON object per line.
enum StoredRecords {
    static func read(_ path: String) throws -> [[String: String]] {
        let text = try TextFile.read(path)
        do throws(CSV.Fault) {
            return try text.first { !$0.isWhitespace } == "{" ? objects(in: text) : rows(in: text)
        } catch {
            throw TwinFault("\(path): \(error)")
        }
    }

    private static func rows(in text: String) throws(CSV.Fault) -> [[String: String]] {
        var reader = CSV.Reader(Array(text.utf8))
        guard let header = try reader.next()?.fields else { return [] }
        var rows: [[String: String]] = []
        while let row = try reader.next() {
            guard row.fields.count == header.count else {
                throw CSV.Fault(line: row.line, "expected \(header.count) fields, found \(row.fields.count)")
            }
            rows.append(Dictionary(zip(header, row.fields)) { first, _ in first })
        }
        return rows
    }

    private static func objects(in text: String) throws(CSV.Fault) -> [[String: String]] {
        var rows: [[String: String]] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy(\.isWhitespace) { continue }
            do throws(JSONValue.Fault) {
                rows.append(try JSONValue(reading: Array(line.utf8)).members.mapValues { $0.string ?? $0.text })
            } catch {
                throw CSV.Fault(line: index + 1, "column \(error.column): expected \(error.expected)")
            }
        }
        return rows
    }
}
