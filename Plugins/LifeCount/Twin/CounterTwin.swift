public import Bytes
public import PluginKit
import Profile

/// A counter of profile 1: counts passages, notifies a gateway, and keeps unacknowledged events.
public struct CounterTwin: DeviceTwin {
    /// The one connected gateway.
    struct Gateway: Sendable {
        var client: TwinClient
        var wantsEvents = false
        var takesResponses = false
        /// When the next Counter Status is due; nil without a subscription.
        var heartbeat: Timestamp?
    }

    let profile: CompiledProfile
    var memory: CounterMemory
    var clock = CounterClock()
    var buffer = ReplayBuffer()
    var passages: PassageSource
    var gateway: Gateway?
    var hasSensorFault = false

    /// Time of the boot.
    var start = Timestamp(nanoseconds: 0)
    var nextNumber: UInt32 = 0
    /// Number of the last event; nil before the first one.
    var lastNumber: UInt32?
    /// People who came in minus people who went out.
    var inside = 0

    /// Time between two notifications of Counter Status.
    static let heartbeat = Duration.seconds(30)
    /// Advertising interval.
    private static let interval = Duration.milliseconds(500)

    public init(_ settings: TwinSettings) throws(TwinFault) {
        profile = try LifeCount.compiledProfile()
        if let json = settings.storage {
            memory = try CounterMemory(json: json)
        } else {
            memory = CounterMemory(seed: settings.seed)
        }
        passages = PassageSource(seed: settings.seed)
    }

    public var answered: Set<String> {
        [CharacteristicName.counterStatus.rawValue, CharacteristicName.controlPoint.rawValue]
    }

    public var deadline: Timestamp? { [gateway?.heartbeat, passages.next].compactMap { $0 }.min() }

    public var deviceName: String? { memory.name }

    public var storage: [UInt8]? { memory.json }

    public mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        passTime(until: now) + react(to: input, at: now)
    }

    /// Handles heartbeats and passages due until now, each at its time.
    private mutating func passTime(until now: Timestamp) -> [TwinAction] {
        var actions: [TwinAction] = []
        while let due = deadline, due <= now {
            if let gateway, gateway.heartbeat == due {
                // At the end of the range of times there is no next heartbeat.
                let next = due + Self.heartbeat
                self.gateway?.heartbeat = next > due ? next : nil
                actions.append(
                    .notify(CharacteristicName.counterStatus.rawValue, statusBytes(at: due), to: gateway.client))
            } else {
                actions += count(passages.pass(at: due, inside: inside), at: due)
            }
        }
        return actions
    }

    private mutating func react(to input: TwinInput, at now: Timestamp) -> [TwinAction] {
        switch input {
        case .powerOn: return begin(at: now)
        case .connected(let client):
            guard gateway == nil else { return [.disconnect(client)] }
            gateway = Gateway(client: client)
            return []
        case .disconnected(let client):
            guard gateway?.client == client else { return [] }
            gateway = nil
            return [advertise]
        case .subscribed(let characteristic, let subscription, let client):
            guard gateway?.client == client else { return [] }
            return subscribe(characteristic, subscription, at: now)
        case .read(CharacteristicName.counterStatus.rawValue, _, let ticket):
            return [.answer(ticket, .value(statusBytes(at: now)))]
        case .read(_, _, let ticket): return [.answer(ticket, .refused(Self.readNotPermitted))]
        case .write(_, let bytes, let client, let ticket?): return answer(bytes, from: client, ticket, at: now)
        case .stimulus(let stimulus): return happen(stimulus, at: now)
        case .write, .written, .confirmed, .capacity, .time: return []
        }
    }

    /// ATT error code (Vol 3, Part F, 3.4.1.1).
    private static let readNotPermitted: UInt8 = 0x02

    // MARK: - Power

    /// Boots with the memory that is kept without power.
    mutating func begin(at now: Timestamp) -> [TwinAction] {
        memory.bootCount &+= 1
        start = now
        clock = CounterClock()
        buffer = ReplayBuffer()
        (nextNumber, lastNumber, inside) = (0, nil, 0)
        gateway = nil
        return [
            set(.manufacturerName, "LifeCount"), set(.modelNumber, "Counter v1"),
            set(.firmwareRevision, "\(Self.firmware >> 8).\(Self.firmware & 0xFF)"),
            set(.serialNumber, String(hex: memory.deviceID, digits: 8).uppercased()),
            .set(CharacteristicName.batteryLevel.rawValue, batteryBytes),
            .set(CharacteristicName.counterInfo.rawValue, infoBytes), .store, advertise,
            .event(TwinNote("booted", ["boot_count": .number(Int(memory.bootCount))])),
        ]
    }

    private var advertise: TwinAction {
        .advertise(
            TwinAdvertising(services: profile.services("counter"), name: memory.name, interval: Self.interval))
    }

    // MARK: - Subscriptions

    private mutating func subscribe(
        _ characteristic: String, _ subscription: TwinSubscription, at now: Timestamp
    ) -> [TwinAction] {
        switch CharacteristicName(rawValue: characteristic) {
        case .countEvent:
            let wantsEvents = subscription.contains(.notifications)
            gateway?.wantsEvents = wantsEvents
            return wantsEvents ? send(buffer.sendRest()) : []
        case .counterStatus:
            let isSubscribed = subscription.contains(.notifications)
            let due = gateway?.heartbeat ?? now + Self.heartbeat
            gateway?.heartbeat = isSubscribed ? due : nil
        case .controlPoint: gateway?.takesResponses = subscription.contains(.indications)
        default: break
        }
        return []
    }

    /// Sends kept events, marked as replayed.
    func send(_ events: [CountEvent]) -> [TwinAction] {
        guard let gateway else { return [] }
        return events.map { event in
            var event = event
            event.header.replayed = true
            return .notify(CharacteristicName.countEvent.rawValue, profile.bytes(of: event), to: gateway.client)
        }
    }

    // MARK: - Values

    /// Major version in the high byte.
    private static let firmware = 0x0102

    var infoBytes: [UInt8] {
        profile.bytes(
            of: CounterInfo(
                hardwareRevision: 1, firmware: Self.firmware, deviceId: Int(memory.deviceID),
                locationId: Int(memory.locationID), bootCount: Int(memory.bootCount),
                replayCapacity: ReplayBuffer.capacity))
    }

    var batteryBytes: [UInt8] { profile.bytes(of: memory.batteryPercent, as: DeviceProfile.TypeName.batteryLevel.name) }

    private func statusBytes(at now: Timestamp) -> [UInt8] {
        profile.bytes(
            of: CounterStatus(
                uptimeS: uptime(at: now), lastSequenceNumber: Int(lastNumber ?? 0),
                batteryPercent: Int(memory.batteryPercent),
                flags: .init(
                    timeValid: clock.isValid, replayOverflow: buffer.hasOverflowed, sensorFault: hasSensorFault),
                bufferedEvents: buffer.count))
    }

    /// Seconds since the boot.
    func uptime(at now: Timestamp) -> Int { Int(UInt32(clamping: now.nanoseconds(since: start) / 1_000_000_000)) }

    private func set(_ name: CharacteristicName, _ text: String) -> TwinAction {
        .set(name.rawValue, profile.bytes(of: text, as: DeviceProfile.TypeName.deviceText.name))
    }
}
