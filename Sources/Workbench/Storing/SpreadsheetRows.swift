package import PluginKit
package import Profile

/// Rows of a stored table as cells for spreadsheets: times are dates, with their offset from UTC in a column `zone`.
///
/// All times of a row have the offset of the first one, so that their differences are right when clocks are changed
/// between them. Times of a device's clock are as the device counts them.
package struct SpreadsheetRows {
    /// The titles of the columns.
    package let header: [String]
    private let times: [StoredTime?]
    private let zone: TimeZoneTable
    /// Where the offset stands; nil for a table without times in UTC.
    private let zonePlace: Int?

    package init(columns: [String], times: [String: StoredTime], zone: TimeZoneTable) {
        self.zone = zone
        self.times = columns.map { times[$0] }
        var titles = columns.map { times[$0] == nil ? $0 : StoredTime.title(of: $0) }
        guard times.values.contains(where: { !$0.isDeviceClock }) else {
            zonePlace = nil
            header = titles
            return
        }
        // Before the columns that describe the device.
        let place = columns.firstIndex(of: "device") ?? columns.endIndex
        zonePlace = place
        titles.insert(SpreadsheetTime.zoneColumn, at: place)
        header = titles
    }

    package func cells(_ row: Record) -> [String] {
        var offset: Int64?
        var cells: [String] = []
        for (field, time) in zip(row.fields, times) {
            guard let time, case .integer(let number) = field.value, let moment = time.time(number) else {
                cells.append(field.value.cell)
                continue
            }
            let isWhole = time.unit == .seconds
            if time.isDeviceClock {
                cells.append(SpreadsheetTime.text(moment, offset: 0, isWhole: isWhole))
            } else {
                let shift = offset ?? SpreadsheetTime.offset(of: zone, at: moment)
                offset = shift
                cells.append(SpreadsheetTime.text(moment, offset: shift, isWhole: isWhole))
            }
        }
        if let zonePlace { cells.insert(offset.map { SpreadsheetTime.text(ofOffset: $0) } ?? "", at: zonePlace) }
        return cells
    }
}

extension Value {
    fileprivate var cell: String {
        switch self {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        default: ""
        }
    }
}
