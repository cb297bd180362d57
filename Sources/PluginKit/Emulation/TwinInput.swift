/// What a twin is told.
public enum TwinInput: Hashable, Sendable {
    /// Power has come: the first input of all.
    case powerOn
    /// A client has connected. The owner stops advertising with it, and does not begin again by itself.
    case connected(TwinClient)
    /// The connection is gone, whoever ended it; also after `TwinAction.fallSilent`.
    case disconnected(TwinClient)
    /// Longest value that a notification to this client can carry, in bytes; 20 until it is told.
    case capacity(Int, TwinClient)
    /// A client wants to be told of a characteristic, or no longer.
    case subscribed(String, TwinSubscription, TwinClient)
    /// A client reads one of `DeviceTwin.answered`, and waits for `TwinAction.answer`.
    case read(String, TwinClient, TwinTicket)
    /// A client writes one of `DeviceTwin.answered`. It waits for `TwinAction.answer`, but for a command, which has no
    /// ticket and gets no answer.
    case write(String, [UInt8], TwinClient, TwinTicket?)
    /// A client wrote a characteristic that the owner keeps; it has its answer.
    case written(String, [UInt8], TwinClient)
    /// A client confirmed an indication.
    case confirmed(String, TwinClient)
    /// Something happens to the device: a step of a scenario, a key.
    case stimulus(Stimulus)
    /// Time has passed; due when `DeviceTwin.deadline` is reached.
    case time
}

/// A client as a twin sees it: a number that no other connection of the same time has.
public struct TwinClient: Hashable, Sendable {
    public var number: UInt16

    public init(_ number: UInt16) {
        self.number = number
    }
}

/// Names a request that a client waits for.
public struct TwinTicket: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) {
        self.number = number
    }
}

/// What a client has asked to be told (Vol 3, Part G, 3.3.3.3).
public struct TwinSubscription: OptionSet, Hashable, Sendable {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let notifications = Self(rawValue: 0x0001)
    public static let indications = Self(rawValue: 0x0002)
}
