package import Dissection
import PluginKit

/// Judges a capture: takes tracked and named batches in order, in constant memory, and says what came of every rule.
package final class ConformanceCheck {
    private let book = ResultBook()
    private let core: CoreBench
    private let devices: DeviceBench
    /// One for each plugin with rules about attributes of any device.
    private let general: [DeviceBench]
    private let roster: DeviceRoster
    private var reader: TrafficReader
    private let coreRules: [any CoreRule.Type]

    /// With `asksOracle`, devices are compared with their plugins' twins as well.
    package init(plugins: PluginSet, coreRules: [any CoreRule.Type] = CoreRules.all, asksOracle: Bool = false) {
        self.coreRules = coreRules
        roster = DeviceRoster(book)
        let numbers = book.add(coreRules.map { $0.info })
        core = CoreBench(coreRules, numbers: numbers, book: book, roster: roster)
        devices = DeviceBench(plugins, asksOracle: asksOracle, book: book, roster: roster)
        var general: [DeviceBench] = []
        for (index, plugin) in plugins.plugins.enumerated() {
            guard plugin.isGeneral, !plugin.profile.profile.rules.isEmpty else { continue }
            general.append(DeviceBench(plugins, general: index, book: book, roster: roster))
        }
        self.general = general
        var wants = core.wants
        wants.advertising = wants.advertising || devices.wantsAdvertising
        reader = TrafficReader(wants)
        reader.frame.plugins = plugins
    }

    /// Whether something came before it was known whose it was: with what is known now, going through the capture again
    /// judges more.
    package var hasMissed: Bool { devices.hasMissed }

    /// Keeps failures for `takeNews` from now on.
    package func keepNews() { book.news = FailureNews() }

    /// The failures that were found since the last time.
    package func takeNews() -> [FoundFailure] { book.news?.take() ?? [] }

    /// Judges the frames of a batch, with the names that were found for it.
    package func judge(_ batch: borrowing TrackedBatch) {
        roster.turn(to: batch)
        devices.turn(to: batch)
        for bench in general { bench.turn(to: batch) }
        reader.read(batch, into: self)
    }

    /// The capture ends: what came of it.
    package func finish() -> CheckReport {
        reader.finish(self)
        let end = reader.times?.upperBound ?? 0
        core.finish(at: end)
        devices.finish(at: end)
        for bench in general { bench.finish(at: end) }
        var report = CheckReport()
        report.frames = reader.frames
        report.times = reader.times
        report.quality = reader.quality
        report.quality.undecodedValues = devices.undecoded
        report.devices = book.devices
        report.rules = book.rules
        report.ruleIDs = devices.ruleIDs.union(coreRules.map { $0.info.id })
        report.results = book.results(
            unjudged: general.reduce(devices.unjudged) { $0.merging($1.unjudged) { one, _ in one } })
        return report
    }
}

extension ConformanceCheck: TrafficObserver {
    package func see(_ event: borrowing TrafficEvent) {
        core.see(event)
        devices.see(event)
        for bench in general { bench.see(event) }
    }

    package func end(_ link: TrafficLink, at time: Int64) {
        roster.noteEnd(of: link)
        core.end(link, at: time)
    }
}
