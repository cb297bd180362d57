/// An input of a twin.
public enum TwinInput: Hashable, Sendable {
    /// The device is powered on; always the first input.
    case powerOn
    /// A client has connected. The owner stops advertising at this point and does not resume by itself.
    case connected(TwinClient)
    /// The connection ended, from either side or after `TwinAction.fallSilent`.
    case disconnected(TwinClient)
    /// Maximum length, in bytes, of a value in a notification to this client; 20 until this input arrives.
    case capacity(Int, TwinClient)
    /// A client changed its subscription to a characteristic.
    case subscribed(String, TwinSubscription, TwinClient)
    /// A client reads a characteristic in `DeviceTwin.answered` and waits for `TwinAction.answer`.
    case read(String, TwinClient, TwinTicket)
    /// A client writes a characteristic in `DeviceTwin.answered` and waits for `TwinAction.answer`. A Write Command has
    /// no ticket and gets no answer.
    case write(String, [UInt8], TwinClient, TwinTicket?)
    /// A client wrote a characteristic that the owner stores; the owner has already answered.
    case written(String, [UInt8], TwinClient)
    /// A client confirmed an indication.
    case confirmed(String, TwinClient)
    /// An external stimulus: a step of a scenario, a key press.
    case stimulus(Stimulus)
    /// Time has passed; expected when `DeviceTwin.deadline` is reached.
    case time
}

/// A client as seen by a twin: a number unique among the current connections.
public struct TwinClient: Hashable, Sendable {
    public var number: UInt16

    public init(_ number: UInt16) {
        self.number = number
    }
}

/// Identifies a request that awaits an answer.
public struct TwinTicket: Hashable, Sendable {
    public var number: UInt64

    public init(_ number: UInt64) {
        self.number = number
    }
}

/// A client's subscription: its Client Characteristic Configuration (Vol 3, Part G, 3.3.3.3).
public struct TwinSubscription: OptionSet, Hashable, Sendable {
    public var rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let notifications = Self(rawValue: 0x0001)
    public static let indications = Self(rawValue: 0x0002)
}
