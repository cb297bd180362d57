import BluetoothTypes
import Captures
import Conversation
import Dissection
import GATT
import PluginKit
import Profile
import SMP

/// Evaluates the rules of profiles and plugins: finds the device that an event is about.
final class DeviceRuleEngine {
    /// Who is watched: a device of the tracker, or the unknown server of a binding.
    private enum Subject: Hashable {
        case device(Int32)
        case binding(Int32)
    }

    private let plugins: PluginSet
    /// The plugin that judges every device that has an attribute of its, by its index; nil for each device's own plugin.
    private let general: Int?
    /// Whether devices are compared with their twins.
    private let asksOracle: Bool
    private let book: ResultStore
    private let roster: DeviceIndex
    private let shard: CheckShard
    private var watches: [Subject: DeviceState] = [:]
    private var byAddress: [DeviceAddress: Subject] = [:]
    /// The watches of the batch's bindings; nil for those that no plugin describes.
    private var watchesByBinding: [Int32: DeviceState?] = [:]
    /// The rules of each plugin and dialect.
    private var rules: [PluginMatch: PluginRules] = [:]
    private(set) var numbers: [Int: Range<Int>] = [:]
    /// Batches so far, and the first frame of this one.
    private var batches = 0
    private var batchStart = 0
    /// Devices that advertised in earlier batches while no plugin was known to describe them.
    private var unmatched: Set<Int32> = []
    private(set) var undecoded = 0
    /// Whether something was seen before it was known who it is: going through the capture again would tell more.
    private(set) var hasMissed = false

    /// Devices that are checked at one time. Of more, the one idle for longest is evicted; if it returns, its check restarts.
    private static let watchLimit = 256
    private static let unmatchedLimit = 100_000

    init(
        _ plugins: PluginSet, general: Int? = nil, asksOracle: Bool = false, book: ResultStore, roster: DeviceIndex,
        shard: CheckShard
    ) {
        self.plugins = plugins
        self.general = general
        self.asksOracle = asksOracle
        self.book = book
        self.roster = roster
        self.shard = shard
    }

    /// Whether any rule may want advertisements.
    var wantsAdvertising: Bool { !plugins.plugins.isEmpty }

    /// Ids of the rules of all plugins.
    var ruleIDs: Set<String> {
        plugins.plugins.reduce(into: []) { ids, plugin in
            ids.formUnion(plugin.profile.profile.rules.map(\.id))
            ids.formUnion(ValueForms(plugin).infos.map(\.id))
        }
    }

    /// All rules of devices that were seen, for which nobody can judge them, with the reason.
    var unjudged: [Int: String] {
        rules.values.reduce(into: [:]) { $0.merge($1.unjudged) { one, _ in one } }
    }
}

// MARK: - Events

extension DeviceRuleEngine {
    func turn(to batch: borrowing TrackedBatch) {
        batches += 1
        batchStart = batch.facts.first?.packet.number ?? batchStart
        watchesByBinding.removeAll(keepingCapacity: true)
    }

    func see(_ event: borrowing TrafficEvent) {
        switch event.content {
        case .att(let att):
            guard att.binding >= 0, let watch = watch(of: att.binding, event) else { return }
            watch.lastFrame = event.moment.frame
            watch.see(event, att, event.frame.view, number: batches)
        case .advertising(let advertisement): if general == nil { see(advertisement, event) }
        case .opened:
            for watch in watches(of: event.link, event.frame.view.batch) { _ = watch.watched(event.link) }
        case .closed(let closing):
            for watch in watching(event.link) { watch.close(event.link, closing, at: event.moment) }
        case .gap(let gap): tell(.gap(gap), event) { $0.everybody }
        case .parameters(let parameters): tell(.parameters(parameters), event) { $0.link }
        case .encryption(let isOn): tell(.encryption(isOn: isOn), event) { $0.link }
        case .smp(let opcode):
            for watch in watching(event.link) {
                let server = event.direction == .sent ? event.link.sender : event.link.receiver
                let step = SecurityStep(
                    SecurityStep.Kind(opcode, event.payload), isFromDevice: watches[.device(server)] === watch)
                let watched = watch.watched(event.link)
                if step.kind == .pairingRequest { watched.hasPaired = true }
                watch.tell(.security(step), at: event.moment, on: watched, watch.panel.interestIndex.link)
            }
        case .signal, .channel, .command, .event, .control: return
        }
    }

    /// The capture ends.
    func finish(at time: Int64) {
        let step = general == nil ? ResultStore.End.devices : .general
        for watch in watches.values.sorted(by: { $0.number < $1.number }) {
            book.order = step.order(of: watch.number < 0 ? 0 : book.deviceEntries[Int(watch.number)].order)
            finish(watch, at: time)
        }
        watches.removeAll()
    }

    private func finish(_ watch: DeviceState, at time: Int64) {
        watch.finish(at: time)
        undecoded += watch.undecoded
    }

    private func tell(
        _ content: RuleEvent.Content, _ event: borrowing TrafficEvent, _ some: (InterestIndex) -> [Int]
    ) {
        for watch in watching(event.link) {
            watch.tell(content, at: event.moment, on: watch.watched(event.link), some(watch.panel.interestIndex))
        }
    }

    private func see(_ advertisement: Advertisement, _ event: borrowing TrafficEvent) {
        let sender = event.frame.facts.sender
        if let address = advertisement.address, let subject = byAddress[address], let watch = watches[subject] {
            watch.lastFrame = event.moment.frame
            return watch.advertise(advertisement, at: event.moment)
        }
        guard sender >= 0, event.frame.view.batch.devices[sender]?.address == advertisement.address else { return }
        guard let watch = watch(ofDevice: sender, event.frame.view.batch, at: event.moment) else {
            if unmatched.count < Self.unmatchedLimit { unmatched.insert(sender) }
            return
        }
        if unmatched.contains(sender) { hasMissed = true }
        watch.advertise(advertisement, at: event.moment)
    }
}

// MARK: - Watches

extension DeviceRuleEngine {
    /// The watch of the server that a binding belongs to; nil where no plugin describes it.
    private func watch(of binding: Int32, _ event: borrowing TrafficEvent) -> DeviceState? {
        if let known = watchesByBinding[binding] { return known }
        let watch = findWatch(of: binding, event)
        watchesByBinding[binding] = .some(watch)
        guard let watch else { return nil }
        let isLate = watch.links[event.link.number] == nil && event.link.opened.frame < batchStart
        if isLate, event.link.opened.frame < event.moment.frame { hasMissed = true }
        return watch
    }

    private func findWatch(of binding: Int32, _ event: borrowing TrafficEvent) -> DeviceState? {
        let view = event.frame.view
        let device = view.batch.bindings[binding]?.device ?? -1
        if let general, !knows(view.batch.bindings[binding], plugins.plugins[general]) { return nil }
        if device >= 0 { return watch(ofDevice: device, view.batch, at: event.moment) }
        if let watch = watches[.binding(binding)] { return watch }
        guard let match = match(view.batch.matches[binding]) else { return nil }
        return makeWatch(.binding(binding), match, number: roster.number(of: event.link), at: event.moment)
    }

    private func watch(ofDevice device: Int32, _ batch: borrowing TrackedBatch, at moment: FrameReference)
        -> DeviceState?
    {
        let resolved = batch.devices[device].map { $0.identity >= 0 ? $0.identity : device } ?? device
        if let watch = watches[.device(resolved)] {
            if watch.rules.dialect == nil, batch.deviceMatches[device]?.dialect != nil { hasMissed = true }
            return watch
        }
        guard let match = match(batch.deviceMatches[device]) else { return nil }
        let watch = makeWatch(.device(resolved), match, number: roster.number(of: resolved), at: moment)
        if let address = batch.devices[device]?.address { byAddress[address] = .device(resolved) }
        return watch
    }

    /// The plugin that judges what another one may describe.
    private func match(_ found: PluginMatch?) -> PluginMatch? {
        if let general { return PluginMatch(plugin: general, dialect: nil) }
        guard let found, found.plugin >= 0 else { return nil }
        return found
    }

    /// Whether a server has an attribute that a plugin reads.
    private func knows(_ binding: AttributeTableStore.Binding?, _ plugin: DevicePlugin) -> Bool {
        binding?.table.characteristics.contains { plugin.profile.attributes[$0.type] != nil } ?? false
    }

    private func makeWatch(_ subject: Subject, _ match: PluginMatch, number: Int32, at moment: FrameReference)
        -> DeviceState
    {
        if watches.count >= shard.part(of: Self.watchLimit),
            let resting = watches.min(by: { $0.value.lastFrame < $1.value.lastFrame })
        {
            finish(resting.value, at: moment.time)
            watches[resting.key] = nil
            watchesByBinding.removeAll()
            byAddress = byAddress.filter { $0.value != resting.key }
        }
        let rules = rules(of: match)
        if general == nil {
            book.update(number) {
                $0.plugin = rules.plugin.id
                $0.dialect = match.dialect
            }
        }
        let watch = DeviceState(rules, of: plugins, number: number, book: book)
        watch.lastFrame = moment.frame
        watches[subject] = watch
        return watch
    }

    private func rules(of match: PluginMatch) -> PluginRules {
        let kind = PluginMatch(plugin: match.plugin, dialect: match.dialect)
        if let known = rules[kind] { return known }
        let plugin = plugins.plugins[match.plugin]
        let forms = ValueForms(plugin)
        let numbers =
            numbers[match.plugin]
            ?? book.add(plugin.profile.profile.rules.map { RuleInfo($0, plugin: plugin.id) } + forms.infos)
        self.numbers[match.plugin] = numbers
        let made = PluginRules(
            plugin, dialect: match.dialect, numbers: numbers, forms: forms, asksOracle: asksOracle)
        rules[kind] = made
        return made
    }

    /// The watches of a connection that begins.
    private func watches(of link: ConnectionState, _ batch: borrowing TrackedBatch) -> [DeviceState] {
        var found: [DeviceState] = []
        if general != nil { return found }
        for device in [link.sender, link.receiver] where device >= 0 {
            if let watch = watch(ofDevice: device, batch, at: link.opened) { found.append(watch) }
        }
        return found
    }

    /// The watches that follow a connection.
    private func watching(_ link: ConnectionState) -> [DeviceState] {
        var found: [DeviceState] = []
        for device in [link.sender, link.receiver] where device >= 0 {
            if let watch = watches[.device(device)] { found.append(watch) }
        }
        if !found.isEmpty || link.receiver >= 0 && link.sender >= 0 { return found }
        return watches.values.filter { $0.links[link.number] != nil }
    }
}

extension SecurityStep.Kind {
    /// A command of the Security Manager, from its code on.
    fileprivate init(_ opcode: SMP.Opcode, _ payload: ArraySlice<UInt8>) {
        switch opcode {
        case .securityRequest: self = .securityRequest
        case .pairingRequest: self = .pairingRequest
        case .pairingResponse: self = .pairingResponse
        case .pairingFailed: self = .failed(reason: ValueBytes(payload).u8(1) ?? 0)
        default: self = .other(opcode.rawValue)
        }
    }
}
