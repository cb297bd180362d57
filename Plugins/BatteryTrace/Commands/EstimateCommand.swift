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

            All figures of power are estimates: they follow from how fast the level rises and from the battery's \
            nominal capacity. What the device itself uses meanwhile is not in them.
            """,
        examples: [
            "estimate charge.csv --capacity 3274",
            "estimate session.btsnoop --model 'iPhone 15 Pro'",
            "estimate charge.csv --model iPhone16,1 --save --charger '20W PD'",
            "estimate charge.csv --capacity 3274 --calibrate 9.5",
        ],
        parameters: [
            EstimateRun.file, EstimateRun.capacity, EstimateRun.model, EstimateRun.window, EstimateRun.calibrate,
            EstimateRun.save, EstimateRun.charger, EstimateRun.notes, .json,
        ],
        storedFiles: [KeptFiles.sessions], settingsFiles: [KeptFiles.batteries]
    ) { input throws(CommandError) in
        try EstimateRun(input).output()
    }
}

/// One run of `battery estimate`.
struct EstimateRun {
    static let file = CommandParameter.argument(
        "file", .input(values: [SampleReading.batteryLevel]),
        help: "A capture or a table of levels; - is standard input.")
    static let capacity = CommandParameter.option(
        "capacity", .number(BatteryCatalog.capacityRange), placeholder: "mAh", help: "The battery's capacity in mAh.")
    static let model = CommandParameter.option(
        "model", placeholder: "name",
        help: "The device's model, whose capacity is in the catalogue: see 'gattbench battery models'.")
    static let window = CommandParameter.option(
        "window", .number(EstimateSettings.windowRange), placeholder: "seconds",
        help: "Length of the rolling window, 60 to 120 s; 90 by default.")
    static let calibrate = CommandParameter.option(
        "calibrate", .number(0.001...1000), placeholder: "watts",
        help: "The power into the battery is known: tell the capacity that follows from it.")
    static let save = CommandParameter.flag("save", help: "Keep the sessions, for 'gattbench battery export'.")
    static let charger = CommandParameter.option(
        "charger", placeholder: "label", help: "What charged it, to be kept with the sessions: '20W PD'.")
    static let notes = CommandParameter.option(
        "notes", placeholder: "text", help: "Notes to be kept with the sessions.")

    /// The samples of one device, and what they came to.
    struct Result {
        /// The device's name; nil for a table.
        var peer: String?
        var reading: SampleReading
        var sessions: [ChargeSession] = []
        /// The capacity that follows from a known power, in mAh, for each session.
        var calibrations: [Swift.Result<Double, Calibration.Refusal>] = []
    }

    let input: CommandInput
    var settings: EstimateSettings
    /// Where the capacity comes from, in a few words.
    var capacitySource = ""
    var results: [Result] = []

    init(_ input: CommandInput) throws(CommandError) {
        self.input = input
        let (capacity, source) = try Self.capacity(input)
        settings = EstimateSettings(capacity: capacity)
        if let window = input.number(Self.window) { settings.window = window }
        capacitySource = source
        results = try Self.read(input)
        for index in results.indices { estimate(&results[index]) }
    }

    private static func capacity(_ input: CommandInput) throws(CommandError) -> (Double, String) {
        let model = input.text(Self.model)
        if let capacity = input.number(Self.capacity) { return (capacity, "as given") }
        guard let model else {
            throw .usage("the battery's capacity is needed: --capacity mAh, or --model with one of the catalogue")
        }
        let catalog = try input.catalog()
        if let entry = catalog.entry(for: model) {
            return (entry.capacity, [entry.name ?? model, entry.source].compactMap { $0 }.joined(separator: "; "))
        }
        let nearest = catalog.models(like: model)
        let hint = nearest.isEmpty ? "" : " (did you mean \(nearest.joined(separator: ", "))?)"
        throw .usage(
            "--model \(quoted(model)) is not in the catalogue\(hint); say --capacity, or add the model to "
                + (input.settings[KeptFiles.batteries]?.path ?? KeptFiles.batteries))
    }

    private static func read(_ input: CommandInput) throws(CommandError) -> [Result] {
        guard let content = input.content(file) else { return [] }
        switch content.content {
        case .values(let values):
            return Dictionary(grouping: values, by: \.peer).values
                .sorted { $0[0].frame < $1[0].frame }
                .map { Result(peer: $0[0].peer.title, reading: SampleReading(observed: $0)) }
        case .bytes(let bytes):
            do throws(CSV.Fault) {
                return [Result(reading: try SampleReading(csv: bytes))]
            } catch {
                throw .unreadable("\(content.name): \(error)")
            }
        }
    }

    private func estimate(_ result: inout Result) {
        var estimator = ChargeEstimator(settings)
        for sample in result.reading.samples { _ = estimator.take(sample) }
        result.sessions = estimator.allSessions
        for index in result.sessions.indices {
            result.sessions[index].model = input.text(Self.model) ?? ""
            result.sessions[index].charger = input.text(Self.charger) ?? ""
            result.sessions[index].notes = input.text(Self.notes) ?? ""
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

    // MARK: - What comes of it

    func output() throws(CommandError) -> CommandOutput {
        let hasEstimate = results.contains { $0.sessions.contains { $0.averageWatts != nil } }
        var output = CommandOutput(
            input.isSet(.json) ? json.text : text, notes: notes, outcome: hasEstimate ? .done : .inconclusive)
        guard input.isSet(Self.save) else { return output }
        let known = try input.rows(ChargeSession.self, in: KeptFiles.sessions)
        var next = (known.map(\.id).max() ?? 0) &+ 1
        var times = Set(known.map { [$0.start, $0.end ?? $0.start] })
        var new: [ChargeSession] = []
        for session in results.flatMap(\.sessions) {
            guard let end = session.end else { continue }
            guard times.insert([session.start, end]).inserted else {
                output.notes.append("the session of \(session.start) is kept already")
                continue
            }
            var kept = session
            kept.id = max(1, next)
            new.append(kept)
            next &+= 1
        }
        if !new.isEmpty { output.changes[KeptFiles.sessions] = input.appending(new, to: KeptFiles.sessions) }
        let path = input.stored[KeptFiles.sessions]?.path ?? KeptFiles.sessions
        output.notes.append("\(new.count.counted("session")) kept in \(path)")
        if results.contains(where: { $0.sessions.contains { $0.end == nil } }) {
            output.notes.append("a session that has not ended is not kept")
        }
        return output
    }

    private var notes: [String] {
        results.flatMap { result -> [String] in
            let rejections = result.reading.rejections.map { "left out: \($0)" }
            let further = result.reading.furtherRejections
            return rejections + (further > 0 ? ["left out: \(further) more"] : [])
        }
    }
}
