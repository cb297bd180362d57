public import Bluetooth
public import Bytes

/// The behaviour of a device, as pure logic: it is told what clients do, what its surroundings do and that time passes,
/// and says what the device does.
///
/// A twin knows characteristics by their names in the profile and sees no handles, connections' parameters or packets:
/// the owner keeps a Bluetooth host that serves the profile's attributes. The same inputs at the same times give the same
/// actions, so a simulated day takes milliseconds and every run repeats.
public protocol DeviceTwin: Sendable {
    /// Characteristics whose reads and writes the twin answers itself (`TwinInput.read`, `.write`). Of all others the owner
    /// keeps the value, and tells what was written (`.written`).
    var answered: Set<String> { get }

    /// Takes what has happened; what it gives is done in this order.
    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction]

    /// When the twin wants to be told that time has passed; nil when nothing waits for it.
    var deadline: Timestamp? { get }

    /// The device's public address; nil where its owner may choose one.
    var address: Address? { get }

    /// The Device Name, which clients read in the Generic Access service (Vol 3, Part C, 12.1); nil for the owner's choice.
    var deviceName: String? { get }

    /// What the device keeps without power, as JSON; nil when it keeps nothing. A twin that is made with it goes on from
    /// there, as the device does after a power cycle.
    var storage: [UInt8]? { get }

    /// The energy that the device has used until now; nil for a twin that does not know.
    func energy(at now: Timestamp) -> EnergyUse?
}

extension DeviceTwin {
    public var answered: Set<String> { [] }
    public var deadline: Timestamp? { nil }
    public var address: Address? { nil }
    public var deviceName: String? { nil }
    public var storage: [UInt8]? { nil }
    public func energy(at now: Timestamp) -> EnergyUse? { nil }
}

/// What a twin is made with.
public struct TwinSettings: Sendable {
    /// Name of a dialect in the profile; nil where the profile has none, or for the twin's own choice.
    public var dialect: String?
    /// Seed of all that is left to chance: noise of sensors, drift of the clock.
    public var seed: UInt64
    /// Which misbehaviour of the real firmware it shows.
    public var quirks: QuirkSelection
    /// The public address that it is to have; nil for the twin's own.
    public var address: Address?
    /// What an earlier twin left behind (`DeviceTwin.storage`); nil for a device that is ready for use.
    public var storage: [UInt8]?
    /// Identifies the run of the program. It is random, whatever the seed: two gateways may begin at one time. Programs that
    /// read numbers as doubles can hold it.
    public var run = Int64.random(in: 1..<1 << 53)

    public init(
        dialect: String? = nil, seed: UInt64 = 1, quirks: QuirkSelection = QuirkSelection(), address: Address? = nil,
        storage: [UInt8]? = nil
    ) {
        self.dialect = dialect
        self.seed = seed
        self.quirks = quirks
        self.address = address
        self.storage = storage
    }
}

/// A known misbehaviour of real firmware.
public struct QuirkDefinition: Hashable, Sendable {
    /// As rules name it: `Q-02`.
    public var id: String
    /// What the firmware does.
    public var title: String
    /// Whether every device does so; what only some do is shown as an exception alone.
    public var isUsual: Bool

    public init(_ id: String, _ title: String, isUsual: Bool = true) {
        self.id = id
        self.title = title
        self.isUsual = isUsual
    }
}

/// Why a twin cannot be made.
public struct TwinFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, what was expected and what to do.
    public var description: String

    public init(_ description: String) {
        self.description = description
    }
}
