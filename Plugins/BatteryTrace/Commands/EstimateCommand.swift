import Bytes
import PluginKit
import Profile

extension PluginCommand {
    /// `battery estimate`.
    static let estimate = PluginCommand(
        name: "estimate",
        abstract: "Estimate the power that charged a battery, from its level over time.",
        discussion: """
            FILE is a capture with values of Battery Level, or a table of time,level[,state] (CSV): RFC 3339 times or \
            Unix seconds, levels from 0 to 1, states unplugged, charging, full and unknown.

            \(Disclaimer.text) What the device itself uses meanwhile is not in them.
            """,
        examples: [
            "estimate charge.csv --capacity 3274",
            "estimate session.btsnoop --model 'iPhone 15 Pro'",
            "estimate charge.csv --model iPhone16,1 --save --charger '20W PD'",
            "estimate charge.csv --capacity 3274 --calibrate 9.5",
        ],
        parameters: [EstimateRun.file] + BatteryParameters.all + [
            EstimateRun.calibrate, EstimateRun.save, .charger, .notes, EstimateRun.csv, .json,
        ],
        settingsFiles: [SettingsFile.batteries], tables: [BatteryTables.sessions], storeFlag: EstimateRun.save
    ) { input throws(CommandError) in
        try EstimateRun(input).output()
    }
}

/// One run of `battery estimate`.
struct EstimateRun {
    static let file = CommandParameter.argument(
        "file", .input(values: [SampleReading.batteryLevel]),
        help: "A capture or a table of levels; - is standard input.")
    static let calibrate = CommandParameter.option(
        "calibrate", .number(0.001...1000), placeholder: "watts",
        help: "The power into the battery is known: tell the capacity that follows from it.")
    static let save = CommandParameter.flag(
        "save", help: "Keep the sessions with their samples, for 'gattbench battery plot' and 'export'.")
    static let csv = CommandParameter.flag("csv", help: "Print each sample with its estimate.")

    /// The samples of one device, and the results from them.
    struct Result {
        /// The device's name; nil for a table.
        var peer: String?
        var reading: SampleReading
        var samples: [ChargeSample] = []
        var sessions: [ChargeSession] = []
        /// The capacity derived from a known power, in mAh, for each session.
        var calibrations: [Swift.Result<Double, Calibration.Refusal>] = []
    }

    let input: CommandInput
    let assumption: BatteryAssumption
    var results: [Result] = []

    var settings: EstimateSettings { assumption.settings }

    init(_ input: CommandInput) throws(CommandError) {
        self.input = input
        guard !(input.isSet(Self.csv) && input.isSet(.json)) else { throw .usage("say either --csv or --json") }
        assumption = try BatteryAssumption(input)
        results = try Self.read(input)
        for index in results.indices { estimate(&results[index]) }
    }

    private static func read(_ input: CommandInput) throws(CommandError) -> [Result] {
        guard let content = input.content(file) else { return [] }
        switch content.content {
        case .values(let values):
            return devices(values).map { Result(peer: $0[0].peer.title, reading: SampleReading(observed: $0)) }
        case .bytes(let bytes):
            do throws(CSV.Fault) {
                return [Result(reading: try SampleReading(csv: bytes))]
            } catch {
                throw .unreadable("\(content.name): \(error)")
            }
        }
    }

    /// The values of each device, in frame order. A recording of both ends of a link has a device twice, with one
    /// address: at its own controller and at its client's. The end with more values counts, of equal ones the client's,
    /// where the values arrive.
    private static func devices(_ values: [ObservedValue]) -> [[ObservedValue]] {
        let ends = Dictionary(grouping: values, by: \.peer).values
        return Dictionary(grouping: ends) { end in end[0].peer.address ?? "\(end[0].peer.index)" }.values
            .compactMap { ends in ends.max { ($0.count, $0[0].frame) < ($1.count, $1[0].frame) } }
            .sorted { $0[0].frame < $1[0].frame }
    }

    private func estimate(_ result: inout Result) {
        var estimator = ChargeEstimator(settings)
        result.samples = result.reading.samples.compactMap { estimator.record($0) }
        result.sessions = estimator.allSessions
        for index in result.sessions.indices {
            result.sessions[index].model = assumption.model
            result.sessions[index].charger = input.text(.charger) ?? ""
            result.sessions[index].notes = input.text(.notes) ?? ""
        }
        guard let watts = input.number(Self.calibrate) else { return }
        // Sessions and samples are in the order of their times.
        var rest = result.reading.samples[...]
        result.calibrations = result.sessions.map { session in
            rest = rest.drop { $0.time < session.start }
            let samples = rest.prefix { sample in session.end.map { sample.time <= $0 } ?? true }
            return Swift.Result { () throws(Calibration.Refusal) in
                try Calibration.capacity(of: Array(samples), watts: watts, voltage: settings.voltage)
            }
        }
    }

    // MARK: - Output

    func output() throws(CommandError) -> CommandOutput {
        let hasEstimate = results.contains { $0.sessions.contains { $0.averageWatts != nil } }
        let samples = results.flatMap(\.samples)
        let text =
            input.isSet(.json)
            ? json.text
            : input.isSet(Self.csv)
                ? String(decoding: ChargeSample.table(samples, in: input.localZone), as: UTF8.self) : text
        var output = CommandOutput(text, notes: notes, outcome: hasEstimate ? .done : .inconclusive)
        if input.isSet(Self.save) { keep(in: &output) }
        return output
    }

    /// Stores the sessions. The start of a session identifies a stored session that it repeats or continues.
    private func keep(in output: inout CommandOutput) {
        var known: [Timestamp: ChargeSession] = [:]
        for session in input.sessions where session.device == nil { known[session.start] = session }
        var count = 0
        for result in results {
            for session in result.sessions {
                let former = known[session.start]
                var session = session
                session.adoptLabels(of: former)
                guard former == nil || former?.end == nil && session.duration > former?.duration ?? 0 else {
                    output.notes.append("the session of \(session.start) is kept already")
                    continue
                }
                count += 1
                var samples = result.samples.filter { sample in
                    sample.time >= session.start && session.end.map { sample.time <= $0 } ?? true
                        && former.map { sample.time > $0.lastTime } ?? true
                }
                for index in samples.indices { samples[index].session = session.start }
                if let former {
                    output.storeChanges.append(.update(Int64(former.id), session.row, in: BatteryTables.sessions))
                } else {
                    output.storeChanges.append(.add([session.row], to: BatteryTables.sessions))
                }
                output.storeChanges.append(.add(samples.map(\.row), to: BatteryTables.samples))
            }
        }
        output.notes.append("\(count.counted("session")) kept")
    }

    private var notes: [String] {
        results.flatMap { result -> [String] in
            let rejections = result.reading.rejections.map { "left out: \($0)" }
            let further = result.reading.furtherRejections
            return rejections + (further > 0 ? ["left out: \(further) more"] : [])
        }
    }
}

extension ChargeSession {
    /// Adopts the labels of the stored session that the user has not given now.
    fileprivate mutating func adoptLabels(of former: ChargeSession?) {
        guard let former else { return }
        for label in [\Self.model, \.charger, \.notes] where self[keyPath: label].isEmpty {
            self[keyPath: label] = former[keyPath: label]
        }
    }
}
