public import Bytes
public import PluginKit
import Profile

/// A phone that reports its battery's level in whole per cent, notified whenever it changes.
///
/// `ChargeCurve` models the charging; the capacity is that of the profile's worked example.
public struct PhoneTwin: DeviceTwin {
    /// State that a phone keeps without power.
    private struct Memory: Codable {
        /// Charge of the battery, 0 to 1.
        var level: Double
    }

    private let profile: CompiledProfile
    private var battery: PhoneBattery
    /// The initial level, 0 to 1, and the last shown percentage.
    private let first: Double
    /// Characteristics that demand pairing, without or with a passkey.
    public let encrypted: Set<String>
    public let authenticated: Set<String>
    private var shown: UInt8 = 0
    /// When the percentage changes next; nil while it does not.
    public private(set) var deadline: Timestamp?
    private var now = Timestamp(nanoseconds: 0)

    /// Capacity in mAh.
    public static let capacity = 3274.0
    private static let name = "BatteryTrace"
    private static let interval = Duration.milliseconds(200)

    public init(_ settings: TwinSettings) throws(TwinFault) {
        profile = try BatteryTrace.compiledProfile()
        encrypted = settings.quirks.shows(PhoneQuirk.encryptedLevel.definition) ? [Self.characteristic] : []
        authenticated = settings.quirks.shows(PhoneQuirk.passkeyLevel.definition) ? [Self.characteristic] : []
        first = try settings.storage.map { json throws(TwinFault) in try Self.level(json) } ?? 0.5
        battery = PhoneBattery(capacity: Self.capacity, level: first, at: now)
    }

    private static func level(_ json: [UInt8]) throws(TwinFault) -> Double {
        guard let text = try? JSONValue(reading: json),
            let memory = try? RecordDecoder().decode(Memory.self, from: Value(text)), (0...1).contains(memory.level)
        else {
            throw TwinFault("the phone's storage: expected a level from 0 to 1; delete it to begin with 50 %")
        }
        return memory.level
    }

    public var storage: [UInt8]? {
        (try? RecordEncoder().encode(Memory(level: battery.level(at: now)))).map { Array($0.json.utf8) }
    }

    public mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction] {
        var actions = passTime(until: now)
        switch input {
        case .powerOn:
            battery = PhoneBattery(capacity: Self.capacity, level: first, at: now)
            shown = battery.percent(at: now)
            actions += [.set(Self.characteristic, bytes), advertise]
        case .disconnected: actions.append(advertise)
        case .stimulus(let stimulus): happen(stimulus, at: now)
        case .connected, .capacity, .subscribed, .read, .write, .written, .confirmed, .time: break
        }
        return actions + show(at: now)
    }

    /// Handles the changes due until now, each at its time.
    private mutating func passTime(until now: Timestamp) -> [TwinAction] {
        var actions: [TwinAction] = []
        while let due = deadline, due <= now { actions += show(at: due) }
        self.now = now
        return actions
    }

    private mutating func happen(_ stimulus: Stimulus, at now: Timestamp) {
        guard let kind = PhoneStimulus(rawValue: stimulus.name) else { return }
        let amount = kind.definition.taken(stimulus.amount)
        switch kind {
        case .plugIn: battery.connect(.init(watts: amount, connection: .wired), at: now)
        case .layOnPad: battery.connect(.init(watts: amount, connection: .wireless), at: now)
        case .unplug: battery.connect(nil, at: now)
        case .use: battery.use(amount, at: now)
        case .battery: battery.set(amount / 100, at: now)
        }
    }

    /// Notifies the percentage if it has changed, and computes its next change.
    private mutating func show(at now: Timestamp) -> [TwinAction] {
        let percent = battery.percent(at: now)
        deadline = battery.nextChange(after: now)
        guard percent != shown else { return [] }
        shown = percent
        return [
            .set(Self.characteristic, bytes), .notify(Self.characteristic, bytes), .store,
            .event(TwinNote("level_changed", ["level": .number(Int(percent))])),
        ]
    }

    private var bytes: [UInt8] { profile.bytes(of: DeviceProfile.BatteryLevel(level: Int(shown))) }

    private static let characteristic = DeviceProfile.CharacteristicName.batteryLevel.rawValue

    private var advertise: TwinAction {
        .advertise(TwinAdvertising(services: profile.services("battery"), name: Self.name, interval: Self.interval))
    }
}

/// Protection of a phone's battery level that only some phones have.
enum PhoneQuirk: String, CaseIterable, Sendable {
    case encryptedLevel = "encrypted_level"
    case passkeyLevel = "passkey_level"

    private var title: String {
        switch self {
        case .encryptedLevel: "Battery Level demands pairing"
        case .passkeyLevel: "Battery Level demands pairing with the passkey that the phone shows"
        }
    }

    var definition: QuirkDefinition { QuirkDefinition(rawValue, title, isUsual: false) }
}
