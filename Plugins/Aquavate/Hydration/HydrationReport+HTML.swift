import Bytes
import PluginKit

/// The report as a self-contained page.
extension HydrationReport {
    var html: String {
        let dates = days.map { "\($0.date)" }
        let period = [dates.first, dates.dropFirst().last].compactMap(\.self).joined(separator: " to ")
        var page = Page("Hydration, \(period)")
        page.add(paragraph: "Until \(zone.text(now)) (\(zoneName)). Goal \(goal) ml a day (\(goals.source)).")
        for level in levels {
            page.add(paragraph: "In \(level.name): \(level.amount) ml, \(ActivityView.age(now - level.time)).")
        }
        page.add(chart)
        page.add(
            table: ["Day", "Total (ml)", "Goal", "Drinks", "Refills"],
            days.map { ["\($0.date)", "\($0.total)", "\($0.percent) %", "\($0.drinks)", "\($0.refills)"] })
        for day in days {
            if let remark = bottleRemark(day) { page.add(paragraph: "\(day.date): \(remark).") }
        }
        if days.count == 1, !drinks.isEmpty {
            page.add(heading: "Drinks")
            page.add(
                table: ["Time", "Amount (ml)", "Left (ml)"],
                drinks.map { drink in
                    [
                        zone.clock(drink.time) + (drink.arrival == nil ? "" : ", arrived"), "\(drink.amount)",
                        "\(drink.level)",
                    ]
                })
        }
        if let storage { page.add(paragraph: storage.text + ".") }
        if !settings.isEmpty {
            page.add(heading: "Settings")
            page.add(table: ["Key", "Value"], settings.map { [$0.key, $0.value] })
        }
        for remark in arrivalRemarks + [zoneRemark].compactMap(\.self) { page.add(paragraph: remark + ".") }
        page.add(heading: "Reminders")
        if reminders.isEmpty {
            page.add(paragraph: "None.")
        } else {
            page.add(
                table: ["Time", "Text"],
                reminders.map { ["\(zone.day(of: $0.time)) \(zone.clock($0.time))", $0.text] })
        }
        return page.html
    }

    /// A bar for each day, with a line at each goal of these days.
    private var chart: Chart {
        Chart(
            "Drunk by day", x: .categories(days.map { String("\($0.date)".dropFirst(5)) }), y: "ml",
            [.init("drunk", .bars, days.enumerated().map { .init(Double($0), Double($1.total)) })],
            thresholds: Set(days.map(\.goal)).sorted().map { .init("goal", Double($0)) })
    }
}
