/// The display as lines of text, in the arrangement of the requirements ("Display Content").
extension PuckScreen {
    /// Columns inside the frame, and lines.
    private static let columns = 30
    private static let rows = 7
    private static let batteryCells = 5
    private static let levelCells = 26

    var picture: [String] {
        let frame = String(repeating: "─", count: Self.columns)
        return ["┌\(frame)┐"] + content.map { "│\($0)│" } + ["└\(frame)┘"]
    }

    /// The lines inside the frame.
    private var content: [String] {
        if case .status(let status) = self { return Self.content(status) }
        let above = (Self.rows - message.count) / 2
        let lines = Array(repeating: "", count: above) + message.map(Self.centred)
        return (lines + Array(repeating: "", count: Self.rows - lines.count)).map(Self.padded)
    }

    private static func content(_ status: PuckStatus) -> [String] {
        let battery = "  [\(bar(status.battery, of: 100, cells: batteryCells))] \(status.battery)%"
        let icons = (status.isBatteryLow ? "⚠  " : "") + (status.isRadioOn ? "BLE  " : "     ")
        let gap = String(repeating: " ", count: max(columns - battery.count - icons.count, 0))
        let lines = [
            battery + gap + icons, "", "       Current: \(status.level)ml",
            "       Today:   \(volume(status.total))", "",
            "  " + bar(status.level, of: status.capacity, cells: levelCells), "",
        ]
        return lines.map(padded)
    }

    /// `450ml`, and from one litre on `1.2L`; tenths are truncated, so that no more is shown than was drunk.
    private static func volume(_ millilitres: Int) -> String {
        millilitres < 1000 ? "\(millilitres)ml" : "\(millilitres / 1000).\(millilitres % 1000 / 100)L"
    }

    /// A bar whose cells are filled in proportion.
    private static func bar(_ value: Int, of limit: Int, cells: Int) -> String {
        let share = limit > 0 ? min(max(value, 0), limit) * cells : 0
        let filled = limit > 0 ? (share + limit / 2) / limit : 0
        return String(repeating: "█", count: filled) + String(repeating: "░", count: cells - filled)
    }

    private static func centred(_ text: String) -> String {
        String(repeating: " ", count: max(columns - text.count, 0) / 2) + text
    }

    private static func padded(_ text: String) -> String {
        text + String(repeating: " ", count: max(columns - text.count, 0))
    }
}
