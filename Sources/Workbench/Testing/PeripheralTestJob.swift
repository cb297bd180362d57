package import Bluetooth
import Bytes
import Captures
package import Conformance
import Conversation
package import DeviceTesting
import Emulation
import Host
package import PluginKit
import Profile
package import Transports

/// Options of `test peripheral`.
package struct PeripheralTestOptions: Sendable {
    package var plugin: DevicePlugin
    package var transport: TransportSpec
    package var dialect: String?
    /// Address of the device under test, if several of the kind are in range.
    package var address: Address?
    package var name: String?
    package var selection = CaseSelection()
    /// The device's passkey; nil to pair without user interaction.
    package var passkey: UInt32?
    package var run = TestRun.Options()
    /// The plugin whose twin is tested on `radio:`; nil for the tested plugin.
    package var twin: DevicePlugin?
    /// Quirks of the twin on `radio:`.
    package var quirks = QuirkSelection()
    /// Scenario that the twin on `radio:` plays from the start of each case; nil for none.
    package var scenario: Scenario?
    /// Path of the capture to record all traffic to; nil for none.
    package var record: String?
    /// Folder for the captures of failed cases; nil for none.
    package var failures: String?

    package init(plugin: DevicePlugin, transport: TransportSpec) {
        self.plugin = plugin
        self.transport = transport
    }
}

/// Acts as a central to test a device: a real one, a virtual one behind a transport, or the plugin's twin on the
/// virtual radio of this process.
package struct PeripheralTestJob {
    private let options: PeripheralTestOptions
    private let plugins: PluginSet
    private let device: TestedDevice
    package let cases: [TestCase]
    private let wake: [HandAction]
    private let isInterrupted: () -> Bool

    package init(
        _ options: PeripheralTestOptions, _ library: PluginLibrary, isInterrupted: @escaping () -> Bool
    ) throws {
        self.options = options
        self.isInterrupted = isInterrupted
        plugins = library.plugins { if $0.id == options.plugin.id { $0.quirks = options.quirks } }
        var plugin = options.plugin
        plugin.quirks = options.quirks
        var device = TestedDevice(plugin, dialect: try options.plugin.dialect(options.dialect))
        device.address = options.address
        device.name = options.name
        device.passkey = options.passkey
        self.device = device
        let scripts = try TestScripts.read(of: options.plugin, library).filter { $0.role == .peripheral }
        let all =
            DerivedCases.all(of: device, seed: options.run.seed)
            + scripts.flatMap { $0.testCases(options.plugin, dialect: device.dialect) }
        wake = scripts.first { !$0.wake.isEmpty }?.wake ?? []
        try options.run.checkRules(of: plugins)
        cases = try options.selection.selected(all, option: "--case", id: { $0.id }, tags: { $0.tags })
    }

    /// Runs the cases; `notify` receives each result as it is available. Ctrl-C ends the run; the report covers the
    /// completed cases.
    ///
    /// - Parameter user: the user who enters passkeys; nil for none.
    package func run(
        hands: any UpperTester, user: PairingUser? = nil, notify: (CaseResult) throws -> Void
    ) throws -> (report: CheckReport, coverage: Coverage) {
        let twin = options.twin ?? options.plugin
        if options.transport == .radio, !twin.hasTwin {
            throw TwinFault(
                "\(twin.id) has no twin to test on radio:; add the section \"emulate\" to its profile, or name the transport "
                    + "of a controller that can reach a device")
        }
        let recorder = try options.record.map { try RadioRecorder.writer($0) }
        var device = device
        device.hasUser = user != nil || options.transport == .radio
        var bed: TransportBed?
        if options.transport != .radio {
            bed = try TransportBed(
                options.transport, seed: options.run.seed, pairing: device.pairing, user: user, hands: hands,
                isInterrupted: isInterrupted)
        }
        defer { bed?.close() }
        var start = VirtualBed.morning
        var run = TestRun(device, plugins: plugins, options.run) {
            if let bed { return bed }
            return try makeVirtualBed(at: start, device.pairing)
        }
        run.wake = wake
        var last: [RecordedPacket] = []
        run.record = { packets in
            last = packets
            try recorder?.write(packets)
            // The next case begins after this one, so that timestamps in the recording ascend.
            if let end = packets.last?.time { start = max(start, end + .seconds(10)) }
        }
        for testCase in cases {
            do {
                let result = try run.run(testCase)
                if result.verdict == .fail { try FailureFolder.keep(last, of: result, in: options.failures) }
                try notify(result)
            } catch TestStop.interrupted {
                break
            }
        }
        try recorder?.flush()
        return (run.report(named: options.record ?? "\(options.transport)"), run.coverage)
    }

    private func makeVirtualBed(at start: Timestamp, _ pairing: PairingSettings) throws -> VirtualBed {
        try VirtualBed(
            options.twin ?? options.plugin, dialect: device.dialect, quirks: options.quirks, seed: options.run.seed,
            start: start, scenario: options.scenario, pairing: pairing, isInterrupted: isInterrupted)
    }
}

/// Test scripts of plugins.
enum TestScripts {
    /// Scripts of a built-in plugin are embedded in the program; those of other plugins are in `Tests` beside the
    /// profile.
    static func read(of plugin: DevicePlugin, _ library: PluginLibrary) throws -> [TestScript] {
        if let path = library[plugin.id]?.path {
            let folder =
                (path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : ".") + "/Tests"
            return try Folder.entries(of: folder).filter { $0.hasSuffix(".yaml") }.sorted().map { name in
                try TestScriptReader.read(
                    TextFile.read("\(folder)/\(name)"), file: "\(folder)/\(name)", plugin)
            }
        }
        let builtIns = try zip(BuiltInPlugins.all, PluginLibrary.builtIn().entries)
        guard let (builtIn, _) = builtIns.first(where: { $1.plugin.id == plugin.id }) else { return [] }
        return try builtIn.tests.map { name, text in
            try TestScriptReader.read(text, file: "Plugins/\(builtIn.name)/Tests/\(name).yaml", plugin)
        }
    }
}

extension String {
    /// Whether the string matches a pattern in which `*` stands for any characters.
    func matches(_ pattern: String) -> Bool {
        var (text, wanted) = (self[...], pattern[...])
        var mark: (text: Substring, wanted: Substring)?
        while !text.isEmpty {
            if wanted.first == "*" {
                wanted.removeFirst()
                mark = (text, wanted)
            } else if wanted.first == text.first {
                wanted.removeFirst()
                text.removeFirst()
            } else if let last = mark {
                mark = (last.text.dropFirst(), last.wanted)
                (text, wanted) = (last.text.dropFirst(), last.wanted)
            } else {
                return false
            }
        }
        return wanted.allSatisfy { $0 == "*" }
    }
}
