public import Bluetooth

/// An action of a twin.
public enum TwinAction: Hashable, Sendable {
    /// Sets the value of a characteristic that clients read from now on.
    case set(String, [UInt8])
    /// Notifies a value to one client, or to all, if they subscribed to notifications. Bytes beyond the ATT_MTU are cut
    /// off (Vol 3, Part F, 3.4.7.1).
    case notify(String, [UInt8], to: TwinClient? = nil)
    /// Indicates a value to one client, or to all, if they subscribed to indications; each client confirms.
    case indicate(String, [UInt8], to: TwinClient? = nil)
    /// Answers a request.
    case answer(TwinTicket, TwinAnswer)
    /// Starts advertising, or changes the advertising data.
    case advertise(TwinAdvertising)
    case stopAdvertising
    /// Ends a connection regularly, with notice to the client.
    case disconnect(TwinClient)
    /// Asks a client to pair, or to encrypt with its bond (Vol 3, Part H, 2.4.6).
    case secure(TwinClient)
    /// Switches the radio off at once: advertising stops, and clients lose their connections without notice.
    case fallSilent
    /// `DeviceTwin.storage` has changed.
    case store
    /// Reports a note to observers of the device.
    case event(TwinNote)
}

/// The answer to a client's request.
public enum TwinAnswer: Hashable, Sendable {
    /// The value read.
    case value([UInt8])
    /// The write is accepted, regardless of its effect.
    case accepted
    /// The request is refused with an ATT error code (Vol 3, Part F, 3.4.1.1; 0x80 to 0x9F are the application's).
    case refused(UInt8)
}

/// The advertising of a device.
public struct TwinAdvertising: Hashable, Sendable {
    /// AD structures, at most 31 bytes (Vol 3, Part C, 11).
    public var data: [UInt8]
    /// Scan response data for active scanners, at most 31 bytes.
    public var scanResponse: [UInt8]
    /// Advertising interval.
    public var interval: Duration
    /// Whether clients can connect.
    package var isConnectable: Bool

    public init(
        data: [UInt8], scanResponse: [UInt8] = [], interval: Duration, isConnectable: Bool = true
    ) {
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
        self.isConnectable = isConnectable
    }
}

/// An event in a device, for people and scripts: `drink_stored {"amount":45}`.
public struct TwinNote: Hashable, Sendable {
    /// Name of the event, in lower case with underscores.
    public var name: String
    /// Details of the event, in output order.
    public var facts: [Fact]

    public struct Fact: Hashable, Sendable {
        public var name: String
        public var value: Amount
    }

    public enum Amount: Hashable, Sendable {
        case number(Int)
        case real(Double)
        case text(String)
        case flag(Bool)
    }

    public init(_ name: String, _ facts: KeyValuePairs<String, Amount> = [:]) {
        self.name = name
        self.facts = facts.map { Fact(name: $0.key, value: $0.value) }
    }

    /// The event of a task that failed because the device's dialect does not have it. Another attempt would fail too.
    public static func unsupported(_ task: String, dialect: String) -> TwinNote {
        TwinNote(
            "\(task)_failed",
            ["reason": .text("the dialect \(dialect) has no way to do this"), noRetry.name: noRetry.value])
    }

    /// Whether the failed task can succeed in another attempt.
    package var allowsRetry: Bool { !facts.contains(Self.noRetry) }

    private static let noRetry = Fact(name: "retry", value: .flag(false))
}

extension TwinAdvertising {
    /// Creates the minimal advertising of a discoverable and connectable device: LE-only flags, its services and, in
    /// the scan response, its name.
    public init(services: [UUID], name: String, interval: Duration) {
        var structures: [GAP.AdvertisingStructure] = [.flags([.leGeneralDiscoverable, .bredrNotSupported])]
        let short = services.filter { $0.uuid16 != nil }
        let long = services.filter { $0.uuid16 == nil }
        if !short.isEmpty { structures.append(.serviceUUIDs16(short)) }
        if !long.isEmpty { structures.append(.serviceUUIDs128(long)) }
        self.init(
            data: GAP.AdvertisingData(structures).encoded,
            scanResponse: GAP.AdvertisingData([.completeLocalName(name)]).encoded, interval: interval)
    }
}
