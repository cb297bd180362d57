import Bytes
import PluginKit
import Profile

/// Parameters shared by several commands.
extension CommandParameter {
    static let json = CommandParameter.flag("json", help: "Print JSON.")
    static let output = CommandParameter.option(
        "output", short: "o", .output, placeholder: "output",
        help: "The file to write; standard output by default.")
    static let yes = CommandParameter.flag("yes", help: "Do not ask.")
    static let zone = CommandParameter.option(
        "time-zone", .timeZone, placeholder: "zone",
        help: "The zone of times, like Europe/Paris; this machine's by default.")
    static let charger = CommandParameter.option(
        "charger", placeholder: "label", help: "What charges it, to be kept with the session: '20W PD'.")
    static let notes = CommandParameter.option(
        "notes", placeholder: "text", help: "Notes to be kept with the session.")
}

/// Options for the assumptions about a battery, shared by several commands.
enum BatteryParameters {
    static let capacity = CommandParameter.option(
        "capacity", .number(BatteryCatalog.capacityRange), placeholder: "mAh", help: "The battery's capacity in mAh.")
    static let model = CommandParameter.option(
        "model", placeholder: "name",
        help: "The device's model, whose capacity is in the catalogue: see 'gattbench battery models'.")
    static let voltage = CommandParameter.option(
        "voltage", .number(EstimateSettings.voltageRange), placeholder: "V",
        help: "The battery's nominal voltage; that of the model, else 3.82 V.")
    static let window = CommandParameter.option(
        "window", .number(EstimateSettings.windowRange), placeholder: "seconds",
        help: "Length of the rolling window, 60 to 120 s; 90 by default.")
    static let smoothing = CommandParameter.option(
        "smoothing", .number(EstimateSettings.smoothingRange), placeholder: "samples",
        help: "N of the moving average; by default the samples of the window.")
    static let all = [capacity, model, voltage, window, smoothing]
}

/// The settings of an estimate, and their source.
struct BatteryAssumption {
    var settings: EstimateSettings
    /// Source of the capacity, in a few words.
    var source: String
    /// The named model; empty for none.
    var model: String

    init(_ input: CommandInput) throws(CommandError) {
        model = input.text(BatteryParameters.model) ?? ""
        let entry = model.isEmpty ? nil : try Self.entry(model, input)
        if let capacity = input.number(BatteryParameters.capacity) {
            (settings, source) = (EstimateSettings(capacity: capacity), "as given")
        } else if let entry {
            settings = EstimateSettings(capacity: entry.capacity)
            source = [entry.name ?? model, entry.source].compactMap { $0 }.joined(separator: "; ")
        } else {
            throw .usage("the battery's capacity is needed: --capacity mAh, or --model with one of the catalogue")
        }
        if let voltage = input.number(BatteryParameters.voltage) ?? entry?.voltage { settings.voltage = voltage }
        if let window = input.number(BatteryParameters.window) { settings.window = window }
        settings.smoothing = input.number(BatteryParameters.smoothing)
    }

    /// The model's entry of the catalogue; nil for an unknown model, which is allowed with --capacity.
    private static func entry(_ model: String, _ input: CommandInput) throws(CommandError) -> BatteryCatalog.Entry? {
        let catalog = try input.catalog()
        if let entry = catalog.entry(for: model) { return entry }
        if input.isSet(BatteryParameters.capacity) { return nil }
        let hint = Spelling.question(catalog.models(like: model)).map { " (\($0))" } ?? ""
        throw .usage(
            "--model \(quoted(model)) is not in the catalogue\(hint); say --capacity, or add the model to "
                + (input.settings[SettingsFile.batteries]?.path ?? SettingsFile.batteries))
    }

    var text: String {
        "Battery: \(settings.capacity.text(decimals: 1)) mAh (\(source)), "
            + "\(settings.voltage.text(decimals: 2)) V; window \(settings.window.text(decimals: 1)) s"
    }
}

/// The disclaimer beside every estimate, in the words of the product document.
enum Disclaimer {
    static let text =
        "Estimates only: iOS does not expose live watts/amps. Values are inferred from percent change over time plus device "
        + "capacity."
}

/// Files in the program's settings folder.
enum SettingsFile {
    static let batteries = "batteries.json"
}

extension CommandInput {
    /// The snapshots of the store, in order of arrival.
    var snapshots: [BatterySnapshot] { (rows[BatteryTables.snapshots] ?? []).compactMap { BatterySnapshot($0) } }
    /// In the order of their starts, which can differ from the order in which they were stored.
    var sessions: [ChargeSession] {
        (rows[BatteryTables.sessions] ?? []).compactMap { ChargeSession($0) }
            .sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }
    var samples: [ChargeSample] { (rows[BatteryTables.samples] ?? []).compactMap { ChargeSample($0) } }

    /// The shipped batteries, with additions and overrides from the user's file.
    func catalog() throws(CommandError) -> BatteryCatalog {
        var catalog: BatteryCatalog
        do throws(BatteryCatalog.Fault) {
            catalog = try BatteryCatalog.shipped()
        } catch {
            throw .unreadable("the shipped catalogue: \(error)")
        }
        guard let file = settings[SettingsFile.batteries], let bytes = file.bytes else { return catalog }
        do throws(BatteryCatalog.Fault) {
            catalog.override(with: try BatteryCatalog(json: bytes))
        } catch {
            throw .unreadable("\(file.path): \(error)")
        }
        return catalog
    }
}

/// A time span as text: `1 h 5 min 12 s`.
func spanText(_ seconds: Double) -> String {
    guard seconds >= 60 else { return "\(seconds.text(decimals: 1)) s" }
    guard seconds < 1e9 else { return "years" }
    let whole = Int(seconds.rounded())
    let hours = whole / 3600
    return (hours > 0 ? "\(hours) h " : "") + "\(whole / 60 % 60) min \(whole % 60) s"
}

/// A level as text: `81 %`.
func percentText(_ level: Double) -> String { "\((level * 100).text(decimals: 1)) %" }
