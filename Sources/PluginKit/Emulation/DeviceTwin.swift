public import Bluetooth
public import Bytes

/// The behaviour of a device as pure logic: it receives client actions, stimuli and elapsed time, and returns the
/// device's actions.
///
/// A twin knows characteristics by their names in the profile and sees no handles, connection parameters or packets:
/// its owner runs a Bluetooth host that serves the profile's attributes. The same inputs at the same times give the
/// same actions, so a simulated day takes milliseconds and every run is reproducible.
public protocol DeviceTwin: Sendable {
    /// Characteristics whose reads and writes the twin answers itself (`TwinInput.read`, `.write`). The owner stores
    /// the values of all others and reports writes to them (`.written`).
    var answered: Set<String> { get }

    /// Characteristics that require an encrypted connection, after any pairing, where the profile does not.
    var encrypted: Set<String> { get }

    /// Characteristics that require a connection encrypted after pairing with MITM protection, where the profile does
    /// not.
    var authenticated: Set<String> { get }

    /// Handles an input; the owner performs the returned actions in order.
    mutating func handle(_ input: TwinInput, at now: Timestamp) -> [TwinAction]

    /// The time at which the twin expects `.time`; nil if it waits for no time.
    var deadline: Timestamp? { get }

    /// The device's public address; nil to leave the choice to the owner.
    var address: Address? { get }

    /// The Device Name in the Generic Access service (Vol 3, Part C, 12.1); nil for the owner's default.
    var deviceName: String? { get }

    /// The device's non-volatile storage, as JSON; nil if it has none. A twin created with this storage continues from
    /// it, as the device does after a power cycle.
    var storage: [UInt8]? { get }

    /// The contents of the device's display as lines of text, all equally wide; nil if it has no display. A twin reports
    /// each redraw as a note, so that scenarios can expect it.
    var display: [String]? { get }

    /// The energy used until now; nil if the twin does not model it.
    func energy(at now: Timestamp) -> EnergyUse?
}

extension DeviceTwin {
    public var answered: Set<String> { [] }
    public var encrypted: Set<String> { [] }
    public var authenticated: Set<String> { [] }
    public var deadline: Timestamp? { nil }
    public var address: Address? { nil }
    public var deviceName: String? { nil }
    public var storage: [UInt8]? { nil }
    public var display: [String]? { nil }
    public func energy(at now: Timestamp) -> EnergyUse? { nil }
}

/// Settings of a twin.
public struct TwinSettings: Sendable {
    /// Name of a dialect in the profile; nil if the profile has none, or for the twin's default.
    public var dialect: String?
    /// Seed of all random behaviour: sensor noise, clock drift.
    public var seed: UInt64
    /// Firmware quirks that the twin shows.
    public var quirks: QuirkSelection
    /// The public address to use; nil for the twin's default.
    public var address: Address?
    /// Storage of an earlier twin (`DeviceTwin.storage`); nil for a device in its initial state.
    public var storage: [UInt8]?
    /// Identifies the program run. It is random regardless of the seed, because two gateways may start at the same
    /// time, and fits into 53 bits, so that programs that read numbers as doubles can represent it.
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
    /// Id used by rules: `Q-02`.
    public var id: String
    /// Behaviour of the firmware.
    public var title: String
    /// Whether every device has the quirk. Unusual quirks are shown only if listed as exceptions.
    public var isUsual: Bool

    public init(_ id: String, _ title: String, isUsual: Bool = true) {
        self.id = id
        self.title = title
        self.isUsual = isUsual
    }
}

/// An error that prevents the creation of a twin.
public struct TwinFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error, the expected value and the remedy.
    public var description: String

    public init(_ description: String) {
        self.description = description
    }
}
