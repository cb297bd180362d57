import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import PluginKit
import Profile

/// What a client configured at a server, and which values came (Vol 3, Part G, 3.3.3.3).
struct SubscriptionUse {
    /// A write that was meant for a Client Characteristic Configuration, at another handle.
    struct Misdirected {
        let request: SentRequest
        let outcome: WriteOutcome
        /// The nearest configuration, and its name.
        let intended: Handle
        let intendedName: String
        /// Whether discovery on this connection showed what the attribute is.
        let isDiscovered: Bool
    }

    /// A characteristic whose values a client would get after it had written its configuration.
    struct Wanted {
        let characteristic: GATT.Table.Characteristic
        let name: String
        /// The request whose result the values are, by the profile or by their service; nil for none.
        let request: SentRequest?
        /// Whether the profile of the device states that they are.
        let isOfProfile: Bool
        /// Time that the client waited.
        let wait: TimeSpan
    }

    /// A subscription of an earlier connection.
    struct Earlier: Sendable {
        let value: Handle
        let name: String
        let written: FrameReference
        /// Mean time between its values; nil if fewer than three came.
        let period: TimeSpan?
        let count: Int
    }

    private struct Values {
        var count = 0
        var first: FrameReference
        var last: FrameReference
    }

    /// Configurations that were written and not refused: the bits, by handle.
    private var configured: [Handle: (bits: UInt16, written: FrameReference, value: Handle, name: String)] = [:]
    private var values: [Handle: Values] = [:]
    private var read: Set<Handle> = []
    private var misdirected: [Misdirected] = []
    /// The last write of a value that the server did not refuse.
    private var command: SentRequest?
    /// The characteristic whose values answer a write, by the profile.
    private var promised: (request: SentRequest, type: UUID)?
    /// The last PDU of either side.
    private(set) var last: FrameReference?
    /// Whether a request is pending: then the client waits for its response, not for values.
    private var isPending = false

    private static let (handleLimit, misdirectedLimit, reach) = (256, 8, 4)
    /// The wait for values after which a client that ends the connection has missed them.
    static let patience = TimeSpan(seconds: 3)

    /// Whether the client has written any configuration, or has tried to.
    var hasConfigured: Bool { !configured.isEmpty || !misdirected.isEmpty }
    /// Whether the client has enabled notifications or indications of the characteristic with this value.
    func hasEnabled(_ value: Handle) -> Bool { configured.values.contains { $0.value == value && $0.bits & 3 != 0 } }
    /// Whether any value came without a request.
    var hasValues: Bool { !values.isEmpty }

    mutating func observe(_ event: Event, _ att: ATTTraffic) {
        last = event.moment
        if att.kind == .request { isPending = true }
        if att.kind == .response { isPending = false }
    }

    /// Records a request or a command.
    mutating func use(_ request: SentRequest, _ event: Event, hasDiscovered: Bool) {
        switch request.opcode {
        case .readRequest, .readBlobRequest: if read.count < Self.handleLimit { read.insert(request.handle) }
        case .writeRequest, .writeCommand: write(request, event, hasDiscovered)
        default: break
        }
    }

    private mutating func write(_ request: SentRequest, _ event: Event, _ hasDiscovered: Bool) {
        guard let outcome = event.outcome else { return }
        if request.isConfiguration {
            guard !outcome.isRefused, configured.count < Self.handleLimit else { return }
            let bits = event.attributeValue?.configurationBits ?? 0
            let value = event.attribute?.attribute.characteristic?.value ?? request.handle
            configured[request.handle] = (bits, request.sent, value, event.name(of: value))
            return
        }
        if let wrong = misdirection(request, outcome, event, hasDiscovered) {
            if misdirected.count < Self.misdirectedLimit { misdirected.append(wrong) }
            return
        }
        guard !outcome.isRefused, event.characteristic != nil else { return }
        command = request
        if let type = event.promisedReply { promised = (request, type) }
    }

    /// The configuration that a write was meant for, if it enables notifications or indications at a handle where
    /// nothing of the kind can be written.
    private func misdirection(
        _ request: SentRequest, _ outcome: WriteOutcome, _ event: Event, _ hasDiscovered: Bool
    ) -> Misdirected? {
        guard request.valueLength == 2, let bits = event.attributeValue?.u16(0), bits == 1 || bits == 2,
            let table = event.frame.server?.table
        else { return nil }
        let known = event.attribute
        switch known?.attribute.kind {
        case .value(let characteristic):
            if !characteristic.properties.isDisjoint(with: [.write, .writeWithoutResponse]) { return nil }
        case .service, .characteristic: break
        case .descriptor: if known?.attribute.type == .serverCharacteristicConfiguration { return nil }
        case .undeclaredValue, .unknown: return nil
        case nil: guard outcome == .refused(ATT.ErrorCode.invalidHandle.rawValue) else { return nil }
        }
        if known?.confidence == .guessed { return nil }
        let distances = table.characteristics.compactMap { characteristic -> (distance: Int, handle: Handle)? in
            guard characteristic.canUpdate, let handle = table.configuration(of: characteristic) else { return nil }
            return (abs(Int(handle.rawValue) - Int(request.handle.rawValue)), handle)
        }
        guard let nearest = distances.min(by: { $0.distance < $1.distance }), nearest.distance <= Self.reach else {
            return nil
        }
        return Misdirected(
            request: request, outcome: outcome, intended: nearest.handle,
            intendedName: event.name(of: nearest.handle),
            isDiscovered: known?.confidence == .discovered && hasDiscovered)
    }

    /// Records a notification or an indication.
    mutating func update(_ event: Event, _ handle: Handle) {
        if var known = values[handle] {
            known.count += 1
            known.last = event.moment
            values[handle] = known
        } else if values.count < Self.handleLimit {
            values[handle] = Values(count: 1, first: event.moment, last: event.moment)
        }
    }
}

// MARK: - At the end of a connection

extension SubscriptionUse {
    /// Whether the configuration at a handle was written.
    func isConfigured(_ handle: Handle) -> Bool { configured[handle] != nil }

    /// The write to a wrong handle that failed, if the right one was not written on the connection.
    func misdirected(at frame: Int) -> Misdirected? {
        misdirected.first { $0.request.sent.frame == frame && configured[$0.intended] == nil }
    }

    /// Whether a write went to a wrong handle, and the right configuration was written as well.
    func isRepaired(_ request: SentRequest) -> Bool {
        misdirected.contains { $0.request.sent == request.sent && configured[$0.intended] != nil }
    }

    /// Writes to wrong handles that the server did not refuse.
    var acceptedMisdirections: [Misdirected] {
        misdirected.filter { !$0.outcome.isRefused && configured[$0.intended] == nil }
    }

    /// The subscriptions in force at the end of the connection.
    func subscriptions(on connection: Int) -> [Handle: Earlier] {
        var all: [Handle: Earlier] = [:]
        for (handle, configuration) in configured where configuration.bits & 3 != 0 {
            let came = values[configuration.value]
            let period = came.flatMap { came -> TimeSpan? in
                came.count > 2 ? (came.last.time - came.first.time) / Int64(came.count - 1) : nil
            }
            all[handle] = Earlier(
                value: configuration.value, name: configuration.name, written: configuration.written, period: period,
                count: came?.count ?? 0)
        }
        return all
    }

    /// The characteristic that the client waited for without having written any configuration; nil for none.
    func wanted(_ server: ServerUse, until time: Timestamp, isClosed: Bool, _ plugins: PluginSet) -> Wanted? {
        guard !hasConfigured, !hasValues, !isPending, let table = server.table, let last else { return nil }
        let candidates = table.discovered.characteristics.filter { characteristic in
            characteristic.canUpdate && !Self.optional.contains(characteristic.type)
                && !read.contains(characteristic.value) && table.discovered.configuration(of: characteristic) != nil
        }
        func wanted(
            _ characteristic: GATT.Table.Characteristic, _ request: SentRequest?, isOfProfile: Bool
        ) -> Wanted? {
            let wait: TimeSpan = time - (request?.sent ?? last).time
            guard wait >= Self.patience else { return nil }
            let name = table.name(of: characteristic.value, plugin: server.plugin, of: plugins)
            return Wanted(
                characteristic: characteristic, name: name, request: request, isOfProfile: isOfProfile, wait: wait)
        }
        if let promised, let characteristic = candidates.first(where: { $0.type == promised.type }) {
            return wanted(characteristic, promised.request, isOfProfile: true)
        }
        guard isClosed, time - last.time >= Self.patience else { return nil }
        if let command, let service = table.discovered.service(at: command.handle),
            let characteristic = candidates.first(where: {
                $0.value >= service.start && $0.value <= service.end
            })
        {
            return wanted(characteristic, command, isOfProfile: false)
        }
        guard read.isEmpty else { return nil }
        return candidates.first { !$0.properties.contains(.read) }
            .flatMap { wanted($0, nil, isOfProfile: false) }
    }

    /// Characteristics that many clients have no use for.
    private static let optional: Set<UUID> = [.serviceChanged, UUID(0x2A19)]

    /// The subscription of an earlier connection that is missing on this one; nil for none.
    func lost(_ earlier: ServerHistory.Server?, since opened: Timestamp, until time: Timestamp) -> Earlier? {
        guard let earlier, !hasConfigured, !hasValues, !isPending else { return nil }
        let wait: TimeSpan = time - opened
        return earlier.subscriptions.values.filter { subscription in
            subscription.count > 0 && !read.contains(subscription.value)
                && wait >= max(Self.patience, (subscription.period ?? .zero) * 3)
        }.min { $0.written < $1.written }
    }
}

extension GATT.Table.Characteristic {
    /// Whether the server may notify or indicate the value.
    var canUpdate: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

extension UUID {
    /// «Server Characteristic Configuration».
    fileprivate static let serverCharacteristicConfiguration = UUID(0x2903)
}

extension Event {
    /// The type of the characteristic whose values answer any write to that of the event, by the profile; nil for none.
    fileprivate var promisedReply: UUID? {
        guard let type = characteristic?.type, let reading = frame.plugins.reading(of: type, plugin: frame.plugin)
        else {
            return nil
        }
        let profile = frame.plugins.plugins[reading.plugin].profile
        let name = reading.reader.name
        for rule in profile.profile.rules {
            guard case .reply(let after, let expect, _) = rule.kind, after.subject == .value, after.operation == .write,
                after.characteristic == name, after.condition == nil, expect.subject == .value,
                expect.operation == .notify || expect.operation == .indicate
            else { continue }
            return profile.attributes.first { $0.value.name == expect.characteristic }?.key
        }
        return profile.attributes.first { $0.value.request == name }?.key
    }
}
