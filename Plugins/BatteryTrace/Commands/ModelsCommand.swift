import Bytes
import PluginKit
import Profile

extension PluginCommand {
    /// `battery models`.
    static let models = PluginCommand(
        name: "models",
        abstract: "List the battery capacities that are known, and where the figures come from.",
        discussion: """
            Your own batteries stand in batteries.json in the settings folder, and win over the shipped ones:
              { "Puck": { "capacity_mAh": 1200, "voltage_V": 3.7, "source": "its label" } }
            """,
        examples: ["models"],
        parameters: [.json], settingsFiles: [SettingsFile.batteries]
    ) { input throws(CommandError) in
        let entries = try input.catalog().entries.sorted { $0.key < $1.key }
        guard !input.isSet(.json) else { return CommandOutput(json(entries).text) }
        let rows = entries.map { model, entry in
            [
                model, entry.name ?? "",
                "\(entry.capacity.text(decimals: 1)) mAh" + (entry.voltage.map { ", \($0.text(decimals: 2)) V" } ?? ""),
                entry.source ?? "",
            ]
        }
        let widths = (0..<3).map { column in rows.map(\.[column].count).max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) + "  " }.joined() + row[3]
        }
        return CommandOutput(lines.joined(separator: "\n") + "\n")
    }

    private static func json(_ entries: [(key: String, value: BatteryCatalog.Entry)]) -> JSONValue {
        .object(
            entries.map { model, entry in
                .init(
                    name: model,
                    value: .members([
                        "name": entry.name.map { .string($0) }, "capacity_mAh": .number(entry.capacity),
                        "voltage_V": entry.voltage.map { .number($0) },
                        "source": entry.source.map { .string($0) },
                    ]))
            })
    }
}
