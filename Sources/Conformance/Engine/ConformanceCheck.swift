package import Bytes
package import Conversation
package import PluginKit
import Profile

/// Checks a capture, or one shard of it: handles tracked batches in order, with their device names, and collects the
/// result of each rule in constant memory.
package final class ConformanceCheck {
    private let shard: CheckShard
    private let store: ResultStore
    private let specification: SpecificationCheck
    private let devices: DeviceCheck
    /// One check for each plugin with rules about attributes of any device.
    private let general: [DeviceCheck]
    private let deviceIndex: DeviceIndex
    private var queue = SettlingQueue()
    private var reader: TrafficReader
    private let coreRules: [any SpecificationRule.Type]
    private var isAtEnd = false

    /// With `asksOracle`, devices are also compared with their plugins' twins.
    package init(
        plugins: PluginSet, coreRules: [any SpecificationRule.Type] = CoreRules.all, asksOracle: Bool = false,
        shard: CheckShard = .whole
    ) {
        self.coreRules = coreRules
        self.shard = shard
        store = ResultStore()
        deviceIndex = DeviceIndex(store)
        let numbers = store.add(coreRules.map { $0.info })
        specification = SpecificationCheck(
            coreRules, numbers: numbers, store: store, deviceIndex: deviceIndex, shard: shard)
        devices = DeviceCheck(
            plugins, asksOracle: asksOracle, store: store, deviceIndex: deviceIndex, shard: shard)
        var general: [DeviceCheck] = []
        for (index, plugin) in plugins.plugins.enumerated() {
            guard plugin.isGeneral, !plugin.profile.profile.rules.isEmpty else { continue }
            general.append(
                DeviceCheck(plugins, general: index, store: store, deviceIndex: deviceIndex, shard: shard))
        }
        self.general = general
        var wants = specification.wants
        wants.advertising = wants.advertising || devices.wantsAdvertising
        reader = TrafficReader(wants, owns: shard.owns)
        reader.frame.plugins = plugins
    }

    /// Whether a device had traffic before it was recognized: a second pass with the present knowledge evaluates more.
    package var hasMissed: Bool { devices.hasMissed }

    /// Collects failures for `takeFailures` from now on.
    package func keepFailures() { store.failureQueue = FailureQueue() }

    /// Returns the failures found since the last call.
    package func takeFailures() -> [FoundFailure] { store.failureQueue?.take() ?? [] }

    /// Adds a batch, with the names found for it, and checks all batches up to the first one with a write whose outcome
    /// is not known yet.
    package func check(_ batch: borrowing TrackedBatch) {
        queue.add(batch.withOwnBytes())
        checkSettled()
    }

    /// Checks the batches that were held back; the capture has ended.
    package func flush() {
        queue.finish()
        checkSettled()
    }

    private func checkSettled() {
        while let batch = queue.next() {
            deviceIndex.begin(batch)
            devices.begin(batch)
            for check in general { check.begin(batch) }
            reader.read(batch, into: self)
        }
    }

    /// Ends the capture and returns the results.
    package func finish() -> CheckReport { Self.finish([self]) }

    /// Ends the capture for all shards and returns their results as one report.
    package static func finish(_ shards: [ConformanceCheck]) -> CheckReport {
        for shard in shards { shard.end() }
        var report = CheckReport()
        report.frames = shards[0].reader.frames
        report.times = shards[0].reader.times
        report.quality = shards[0].reader.quality
        report.quality.undecodedValues = shards.reduce(0) { $0 + $1.devices.undecoded }
        report.ruleIDs = shards[0].devices.ruleIDs.union(shards[0].coreRules.map { $0.info.id })
        let (store, numbers) = ResultStore.merged(shards.map(\.store))
        report.devices = store.devices
        report.rules = store.rules
        var unevaluated: [Int: String] = [:]
        for (shard, numbers) in zip(shards, numbers) {
            for check in [shard.devices] + shard.general {
                unevaluated.merge(check.unevaluated.map { (numbers[$0.key], $0.value) }) { first, _ in first }
            }
        }
        report.results = store.results(unevaluated: unevaluated)
        return report
    }

    private func end() {
        flush()
        isAtEnd = true
        reader.finish(self)
        let time = reader.times?.upperBound ?? .epoch
        specification.finish(at: time)
        devices.finish(at: time)
        for check in general { check.finish(at: time) }
    }
}

extension ConformanceCheck: EventConsumer {
    package func handle(_ event: Event, of frame: EventFrame, on connection: Connection) {
        store.order = event.moment.frame
        specification.handle(event, of: frame, on: connection)
        guard connection.number > 0 ? connection.isOwned : event.isOwned(by: shard) else { return }
        devices.handle(event, of: frame, on: connection)
        for check in general { check.handle(event, of: frame, on: connection) }
    }

    package func end(_ connection: Connection, at time: Timestamp) {
        guard connection.isOwned else { return }
        if isAtEnd { store.order = ResultStore.End.connections.order(of: connection.number) }
        deviceIndex.noteEnd(of: connection)
        specification.end(connection, at: time)
        deviceIndex.forgetStrangers(of: connection)
    }
}

extension Event {
    /// Whether an event without a connection is evaluated in a shard: an advertisement belongs to the shard of its
    /// advertiser.
    fileprivate func isOwned(by shard: CheckShard) -> Bool {
        guard case .advertised = content else { return shard.hasUnassigned }
        return shard.owns(TrafficReader.resolved(frame.metadata.sender, frame.view.batch))
    }
}
