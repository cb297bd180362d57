import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// Checks devices with the rules of their profiles and plugins: finds the device of each event.
final class DeviceCheck {
    /// A device that is checked: a device of the tracker, or the unknown server of a table version.
    private enum Subject: Hashable {
        case device(Int32)
        case tableVersion(TableVersion)
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
    private var followed: [Subject: FollowedDevice] = [:]
    private var byAddress: [DeviceAddress: Subject] = [:]
    /// The devices most recently used in the batch, by table version; nil for servers that no plugin describes.
    private var recent = RecentValues<FollowedDevice?>(places: 64)
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
    private static let deviceLimit = 256
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

extension DeviceCheck {
    func begin(_ batch: borrowing TrackedBatch) {
        batches += 1
        batchStart = batch.metadata.first?.packet.number ?? batchStart
        recent.removeAll()
    }

    func handle(_ event: Event, of frame: EventFrame, on connection: Connection) {
        switch event.content {
        case .att(let att):
            guard let device = device(of: event, frame, on: connection) else { return }
            device.lastFrame = event.moment.frame
            device.handle(event, att, of: frame, on: connection, batch: batches)
        case .advertised(let advertisement):
            switch advertisement.kind {
            case .own, .periodic: return
            default: if general == nil { handle(advertisement, event, frame) }
            }
        case .opened:
            for device in devices(of: connection, frame.view) { _ = device.server(on: connection) }
        case .closed(let closing):
            for device in devices(following: connection) { device.close(connection, closing, at: event.moment) }
        case .gap, .parameters, .encryption:
            for device in devices(following: connection) {
                device.emit(event.content, at: event.moment, on: device.server(on: connection))
            }
        case .smp(let opcode):
            for device in devices(following: connection) {
                let server = event.direction == .sent ? connection.sender : connection.receiver
                let step = SecurityStep(
                    SecurityStep.Kind(opcode, event.payload), isFromDevice: followed[.device(server)] === device)
                device.emit(.security(step), at: event.moment, on: device.server(on: connection))
            }
        case .bearerClosed(let bearer):
            for device in devices(following: connection) { device.server(on: connection).close(bearer) }
        default: return
        }
    }

    /// Finishes all devices at the end of the capture.
    func finish(at time: Timestamp) {
        let step = general == nil ? ResultStore.End.devices : .general
        for device in followed.values.sorted(by: { $0.number < $1.number }) {
            store.order = step.order(of: device.number < 0 ? 0 : store.deviceEntries[Int(device.number)].order)
            finish(device, at: time)
        }
        followed.removeAll()
    }

    private func finish(_ device: FollowedDevice, at time: Timestamp) {
        device.finish(at: time)
        undecoded += device.undecoded
    }

    private func handle(_ advertisement: Advertisement, _ event: Event, _ frame: EventFrame) {
        let sender = frame.metadata.sender
        if let address = advertisement.address, let subject = byAddress[address], let device = followed[subject] {
            device.lastFrame = event.moment.frame
            return device.advertise(advertisement, at: event.moment)
        }
        guard sender >= 0, frame.view.batch.devices[sender]?.address == advertisement.address else { return }
        guard let device = device(at: sender, frame.view, at: event.moment) else {
            if unmatched.count < Self.unmatchedLimit { unmatched.insert(sender) }
            return
        }
        if unmatched.contains(sender) { hasMissed = true }
        device.advertise(advertisement, at: event.moment)
    }
}

// MARK: - Devices

extension DeviceCheck {
    /// The device whose server an ATT PDU concerns; nil if no plugin describes it.
    private func device(of event: Event, _ frame: EventFrame, on connection: Connection) -> FollowedDevice? {
        let tableVersion = frame.tableVersion
        guard tableVersion.isKnown else { return nil }
        let key = UInt64(UInt32(bitPattern: tableVersion.index))
        if let known = recent[key] { return known }
        let device = findDevice(of: tableVersion, event, frame.view, on: connection)
        recent[key] = .some(device)
        guard let device else { return nil }
        let isLate = device.connections[connection.number] == nil && connection.opened.frame < batchStart
        if isLate, connection.opened.frame < event.moment.frame { hasMissed = true }
        return device
    }

    private func findDevice(
        of tableVersion: TableVersion, _ event: Event, _ view: BatchView, on connection: Connection
    ) -> FollowedDevice? {
        let index = view.batch.tableVersions[tableVersion]?.device ?? -1
        if let general, !knows(view.batch.tableVersions[tableVersion], plugins.plugins[general]) { return nil }
        if index >= 0 { return device(at: index, view, at: event.moment) }
        if let device = followed[.tableVersion(tableVersion)] { return device }
        guard let match = match(view.batch.matches[tableVersion]), case .att(let att) = event.content else {
            return nil
        }
        return follow(
            .tableVersion(tableVersion), match, number: deviceIndex.number(of: connection, sending: att.server(event)),
            at: event.moment)
    }

    /// The device with an index in the tracker.
    private func device(at index: Int32, _ view: BatchView, at moment: FrameReference) -> FollowedDevice? {
        let resolved = TrafficReader.resolved(index, view.batch)
        if let device = followed[.device(resolved)] {
            if device.rules.dialect == nil, view.batch.deviceMatches[index]?.dialect != nil { hasMissed = true }
            return device
        }
        guard let match = match(view.batch.deviceMatches[index]) else { return nil }
        let device = follow(.device(resolved), match, number: deviceIndex.number(of: resolved), at: moment)
        if let address = view.batch.devices[index]?.address { byAddress[address] = .device(resolved) }
        return device
    }

    /// The plugin whose rules apply to a device; `found` is the plugin that describes it.
    private func match(_ found: PluginMatch?) -> PluginMatch? {
        if let general { return PluginMatch(plugin: general, dialect: nil) }
        guard let found, found.plugin >= 0 else { return nil }
        return found
    }

    /// Whether a server has an attribute that a plugin reads.
    private func knows(_ contents: AttributeTableStore.Version?, _ plugin: DevicePlugin) -> Bool {
        contents?.table.characteristics.contains { plugin.profile.attributes[$0.type] != nil } ?? false
    }

    private func follow(_ subject: Subject, _ match: PluginMatch, number: Int32, at moment: FrameReference)
        -> FollowedDevice
    {
        if followed.count >= shard.part(of: Self.deviceLimit),
            let resting = followed.min(by: { $0.value.lastFrame < $1.value.lastFrame })
        {
            finish(resting.value, at: moment.time)
            followed[resting.key] = nil
            recent.removeAll()
            // Finding the addresses of one evicted device takes as long as finding those of all of them, so they are
            // removed together.
            if byAddress.count >= 2 * Self.deviceLimit { byAddress = byAddress.filter { followed[$0.value] != nil } }
        }
        let rules = rules(of: match)
        if general == nil {
            store.update(number) {
                $0.plugin = rules.plugin.id
                $0.dialect = match.dialect
            }
        }
        let device = FollowedDevice(rules, of: plugins, number: number, store: store)
        device.lastFrame = moment.frame
        followed[subject] = device
        return device
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

    /// The devices of a new connection.
    private func devices(of connection: Connection, _ view: BatchView) -> [FollowedDevice] {
        if general != nil { return [] }
        return [connection.sender, connection.receiver].filter { $0 >= 0 }
            .compactMap { device(at: $0, view, at: connection.opened) }
    }

    /// The devices of a connection that are followed already.
    private func devices(following connection: Connection) -> [FollowedDevice] {
        let found = [connection.sender, connection.receiver].filter { $0 >= 0 }
            .compactMap { followed[.device($0)] }
        if !found.isEmpty || connection.receiver >= 0 && connection.sender >= 0 { return found }
        return followed.values.filter { $0.connections[connection.number] != nil }
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
