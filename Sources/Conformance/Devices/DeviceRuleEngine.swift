import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// Evaluates the rules of profiles and plugins: finds the device of each event, and passes the event to its rules.
final class DeviceRuleEngine {
    /// A device with a state: a device of the tracker, or the unknown server of a table version.
    private enum Subject: Hashable {
        case device(Int32)
        case tableVersion(Int32)
    }

    private let plugins: PluginSet
    /// Index of the plugin whose rules apply to every device with one of its attributes; nil if each device is checked
    /// by its own plugin.
    private let general: Int?
    /// Whether devices are compared with their twins.
    private let asksOracle: Bool
    private let store: ResultStore
    private let deviceIndex: DeviceIndex
    private let shard: CheckShard
    private var states: [Subject: DeviceState] = [:]
    private var byAddress: [DeviceAddress: Subject] = [:]
    /// The states most recently used in the batch, by table version; nil for servers that no plugin describes.
    private var statesByBinding = RecentValues<DeviceState?>(places: 64)
    /// The rules of each plugin and dialect.
    private var rules: [PluginMatch: PluginRules] = [:]
    private(set) var numbers: [Int: Range<Int>] = [:]
    /// Number of batches so far, and number of the first frame of the current one.
    private var batches = 0
    private var batchStart = 0
    /// Devices that advertised before a plugin was known to describe them.
    private var unmatched: Set<Int32> = []
    private(set) var undecoded = 0
    /// Whether a device had traffic before it was recognized: a second pass through the capture would evaluate more.
    private(set) var hasMissed = false

    /// Maximum number of devices checked at the same time. Beyond it, the device idle for longest is evicted; if it
    /// returns, its check restarts.
    private static let stateLimit = 256
    private static let unmatchedLimit = 100_000

    init(
        _ plugins: PluginSet, general: Int? = nil, asksOracle: Bool = false, store: ResultStore,
        deviceIndex: DeviceIndex,
        shard: CheckShard
    ) {
        self.plugins = plugins
        self.general = general
        self.asksOracle = asksOracle
        self.store = store
        self.deviceIndex = deviceIndex
        self.shard = shard
    }

    /// Whether a rule may be interested in advertisements.
    var wantsAdvertising: Bool { !plugins.plugins.isEmpty }

    /// Ids of the rules of all plugins.
    var ruleIDs: Set<String> {
        plugins.plugins.reduce(into: []) { ids, plugin in
            ids.formUnion(plugin.profile.profile.rules.map(\.id))
            ids.formUnion(ValueForms(plugin).infos.map(\.id))
        }
    }

    /// Rules of the recognized devices that cannot be evaluated, by index in the store, with the reason.
    var unevaluated: [Int: String] {
        rules.values.reduce(into: [:]) { $0.merge($1.unevaluated) { one, _ in one } }
    }
}

// MARK: - Events

extension DeviceRuleEngine {
    func begin(_ batch: borrowing TrackedBatch) {
        batches += 1
        batchStart = batch.metadata.first?.packet.number ?? batchStart
        statesByBinding.removeAll()
    }

    func handle(_ event: TrafficEvent, on link: ConnectionState) {
        switch event.content {
        case .att(let att):
            guard att.tableVersion >= 0, let state = state(of: att.tableVersion, event, on: link) else { return }
            state.lastFrame = event.moment.frame
            state.handle(event, att, on: link, event.view, number: batches)
        case .advertising(let advertisement):
            switch advertisement.kind {
            case .own, .periodic: return
            default: if general == nil { handle(advertisement, event) }
            }
        case .opened:
            for state in states(of: link, event.view) { _ = state.connection(of: link) }
        case .closed(let closing):
            for state in states(following: link) { state.close(link, closing, at: event.moment) }
        case .gap(let gap): emit(.gap(gap), event, on: link) { $0.all }
        case .parameters(let parameters): emit(.parameters(parameters), event, on: link) { $0.link }
        case .encryption(let isOn): emit(.encryption(isOn: isOn), event, on: link) { $0.link }
        case .smp(let opcode):
            for state in states(following: link) {
                let server = event.direction == .sent ? link.sender : link.receiver
                let step = SecurityStep(
                    SecurityStep.Kind(opcode, event.payload), isFromDevice: states[.device(server)] === state)
                let connection = state.connection(of: link)
                if step.kind == .pairingRequest { connection.hasPaired = true }
                state.emit(.security(step), at: event.moment, on: connection, state.ruleSet.interestIndex.link)
            }
        case .bearerClosed(let bearer):
            for state in states(following: link) { state.connection(of: link).close(bearer) }
        case .signal, .channel, .command, .event, .control: return
        }
    }

    /// Finishes all devices at the end of the capture.
    func finish(at time: Timestamp) {
        let step = general == nil ? ResultStore.End.devices : .general
        for state in states.values.sorted(by: { $0.number < $1.number }) {
            store.order = step.order(of: state.number < 0 ? 0 : store.deviceEntries[Int(state.number)].order)
            finish(state, at: time)
        }
        states.removeAll()
    }

    private func finish(_ state: DeviceState, at time: Timestamp) {
        state.finish(at: time)
        undecoded += state.undecoded
    }

    private func emit(
        _ content: Event.Content, _ event: TrafficEvent, on link: ConnectionState,
        _ some: (InterestIndex) -> [Int]
    ) {
        for state in states(following: link) {
            state.emit(content, at: event.moment, on: state.connection(of: link), some(state.ruleSet.interestIndex))
        }
    }

    private func handle(_ advertisement: Advertisement, _ event: TrafficEvent) {
        let sender = event.metadata.sender
        if let address = advertisement.address, let subject = byAddress[address], let state = states[subject] {
            state.lastFrame = event.moment.frame
            return state.advertise(advertisement, at: event.moment)
        }
        guard sender >= 0, event.view.batch.devices[sender]?.address == advertisement.address else { return }
        guard let state = state(ofDevice: sender, event.view, at: event.moment) else {
            if unmatched.count < Self.unmatchedLimit { unmatched.insert(sender) }
            return
        }
        if unmatched.contains(sender) { hasMissed = true }
        state.advertise(advertisement, at: event.moment)
    }
}

// MARK: - Device states

extension DeviceRuleEngine {
    /// The state of the server of a table version; nil if no plugin describes it.
    private func state(of tableVersion: Int32, _ event: TrafficEvent, on link: ConnectionState) -> DeviceState? {
        let key = UInt64(UInt32(bitPattern: tableVersion))
        if let known = statesByBinding[key] { return known }
        let state = findState(of: tableVersion, event, on: link)
        statesByBinding[key] = .some(state)
        guard let state else { return nil }
        let isLate = state.links[link.number] == nil && link.opened.frame < batchStart
        if isLate, link.opened.frame < event.moment.frame { hasMissed = true }
        return state
    }

    private func findState(of tableVersion: Int32, _ event: TrafficEvent, on link: ConnectionState) -> DeviceState? {
        let view = event.view
        let device = view.batch.tableVersions[tableVersion]?.device ?? -1
        if let general, !knows(view.batch.tableVersions[tableVersion], plugins.plugins[general]) { return nil }
        if device >= 0 { return state(ofDevice: device, view, at: event.moment) }
        if let state = states[.tableVersion(tableVersion)] { return state }
        guard let match = match(view.batch.matches[tableVersion]) else { return nil }
        guard case .att(let att) = event.content else { return nil }
        return makeState(
            .tableVersion(tableVersion), match, number: deviceIndex.number(of: link, sending: att.server(event)),
            at: event.moment)
    }

    private func state(ofDevice device: Int32, _ view: BatchView, at moment: FrameReference) -> DeviceState? {
        let resolved = view.batch.devices[device].map { $0.identity >= 0 ? $0.identity : device } ?? device
        if let state = states[.device(resolved)] {
            if state.rules.dialect == nil, view.batch.deviceMatches[device]?.dialect != nil { hasMissed = true }
            return state
        }
        guard let match = match(view.batch.deviceMatches[device]) else { return nil }
        let state = makeState(.device(resolved), match, number: deviceIndex.number(of: resolved), at: moment)
        if let address = view.batch.devices[device]?.address { byAddress[address] = .device(resolved) }
        return state
    }

    /// The plugin whose rules apply to a device; `found` is the plugin that describes it.
    private func match(_ found: PluginMatch?) -> PluginMatch? {
        if let general { return PluginMatch(plugin: general, dialect: nil) }
        guard let found, found.plugin >= 0 else { return nil }
        return found
    }

    /// Whether a server has an attribute that a plugin reads.
    private func knows(_ tableVersion: AttributeTableStore.Version?, _ plugin: DevicePlugin) -> Bool {
        tableVersion?.table.characteristics.contains { plugin.profile.attributes[$0.type] != nil } ?? false
    }

    private func makeState(_ subject: Subject, _ match: PluginMatch, number: Int32, at moment: FrameReference)
        -> DeviceState
    {
        if states.count >= shard.part(of: Self.stateLimit),
            let resting = states.min(by: { $0.value.lastFrame < $1.value.lastFrame })
        {
            finish(resting.value, at: moment.time)
            states[resting.key] = nil
            statesByBinding.removeAll()
            // Finding the addresses of one evicted device takes as long as finding those of all of them, so they are
            // removed together.
            if byAddress.count >= 2 * Self.stateLimit { byAddress = byAddress.filter { states[$0.value] != nil } }
        }
        let rules = rules(of: match)
        if general == nil {
            store.update(number) {
                $0.plugin = rules.plugin.id
                $0.dialect = match.dialect
            }
        }
        let state = DeviceState(rules, of: plugins, number: number, store: store)
        state.lastFrame = moment.frame
        states[subject] = state
        return state
    }

    private func rules(of match: PluginMatch) -> PluginRules {
        let kind = PluginMatch(plugin: match.plugin, dialect: match.dialect)
        if let known = rules[kind] { return known }
        let plugin = plugins.plugins[match.plugin]
        let forms = ValueForms(plugin)
        let numbers =
            numbers[match.plugin]
            ?? store.add(plugin.profile.profile.rules.map { RuleInfo($0, plugin: plugin.id) } + forms.infos)
        self.numbers[match.plugin] = numbers
        let made = PluginRules(
            plugin, dialect: match.dialect, numbers: numbers, forms: forms, asksOracle: asksOracle)
        rules[kind] = made
        return made
    }

    /// The states of the devices of a new connection.
    private func states(of link: ConnectionState, _ view: BatchView) -> [DeviceState] {
        var found: [DeviceState] = []
        if general != nil { return found }
        for device in [link.sender, link.receiver] where device >= 0 {
            if let state = state(ofDevice: device, view, at: link.opened) { found.append(state) }
        }
        return found
    }

    /// The states of the devices of a connection.
    private func states(following link: ConnectionState) -> [DeviceState] {
        var found: [DeviceState] = []
        for device in [link.sender, link.receiver] where device >= 0 {
            if let state = states[.device(device)] { found.append(state) }
        }
        if !found.isEmpty || link.receiver >= 0 && link.sender >= 0 { return found }
        return states.values.filter { $0.links[link.number] != nil }
    }
}

extension SecurityStep.Kind {
    /// A command of the Security Manager; `payload` begins with its code.
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
