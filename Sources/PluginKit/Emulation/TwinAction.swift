public import Bluetooth

/// What a twin does.
public enum TwinAction: Hashable, Sendable {
    /// A characteristic has this value from now on, for those who read it.
    case set(String, [UInt8])
    /// Tells a value to a client, or to all, as far as they have asked for notifications. What does not fit into the ATT_MTU
    /// is cut off (Vol 3, Part F, 3.4.7.1).
    case notify(String, [UInt8], to: TwinClient? = nil)
    /// Tells a value to a client, or to all, as far as they have asked for indications; each confirms.
    case indicate(String, [UInt8], to: TwinClient? = nil)
    /// Answers a request.
    case answer(TwinTicket, TwinAnswer)
    /// Advertises, or goes on with other data.
    case advertise(TwinAdvertising)
    case stopAdvertising
    /// Ends a connection as the specification wants it: the client is told.
    case disconnect(TwinClient)
    /// Asks a client to pair, or to encrypt by the bond (Vol 3, Part H, 2.4.6).
    case secure(TwinClient)
    /// The radio is switched off at once: advertising stops, and clients lose their connections without being told.
    case fallSilent
    /// What is in `DeviceTwin.storage` has changed.
    case store
    /// Something that whoever watches the device may want to know.
    case tell(TwinNote)
}

/// What a client's request is answered with.
public enum TwinAnswer: Hashable, Sendable {
    /// The value that was asked for.
    case value([UInt8])
    /// The write has been taken, whatever became of it.
    case accepted
    /// An ATT error code (Vol 3, Part F, 3.4.1.1; 0x80 to 0x9F are the application's).
    case refused(UInt8)
}

/// What a device says of itself while it waits for a client.
public struct TwinAdvertising: Hashable, Sendable {
    /// AD structures, 31 bytes at most (Vol 3, Part C, 11).
    public var data: [UInt8]
    /// What active scanners get besides, 31 bytes at most.
    public var scanResponse: [UInt8]
    /// Between advertisements.
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

/// Something that happened in a device, for people and for scripts: `drink_stored {"amount":45}`.
public struct TwinNote: Hashable, Sendable {
    /// What happened, in lower case with underscores.
    public var name: String
    /// Further facts, in the order of being said.
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
}

extension TwinAdvertising {
    /// What a device that can be found and connected to says at least: that it is one of LE alone, its services, and its
    /// name for those who ask.
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
