public import GAP

/// Section `emulate`: the behaviour of a virtual device that needs no code.
public struct EmulationDefinition: Sendable {
    /// Local name; nil for none.
    public var name: String?
    /// Seconds between advertisements.
    public var interval: Double?
    /// What it advertises beside its services and its name.
    public var advertising: [AdvertisedData] = []
    /// Whether clients can connect; nil: if it has services.
    public var isConnectable: Bool?
    /// What characteristics hold at first.
    public var values: [InitialValue] = []
    public var reactions: [Reaction] = []
    public var place: SourcePlace

    public struct InitialValue: Sendable {
        public var characteristic: String
        public var value: ValueSource
        public var place: SourcePlace

        public init(characteristic: String, value: ValueSource, place: SourcePlace) {
            self.characteristic = characteristic
            self.value = value
            self.place = place
        }
    }

    /// Data of an AD structure.
    public struct AdvertisedData: Sendable {
        public enum Carrier: Sendable, Hashable {
            case data(GAP.DataOwner)
            /// A structure of this AD type; the value is all of it.
            case structure(type: UInt8)
        }

        public var carrier: Carrier
        public var value: ValueSource
        public var place: SourcePlace

        public init(_ carrier: Carrier, value: ValueSource, place: SourcePlace) {
            self.carrier = carrier
            self.value = value
            self.place = place
        }
    }

    /// Something that happens by itself.
    public struct Reaction: Sendable {
        public enum Trigger: Sendable {
            case event(EventPattern)
            /// Every so many seconds: while the device has power, if it advertises then; else while a client is connected.
            case timer(seconds: Double)
            case connected
            case disconnected
            /// A client turns notifications or indications of a characteristic on, or both off.
            case subscribed(characteristic: String, Bool)
        }

        public enum Action: Sendable {
            case set(characteristic: String, ValueSource)
            case notify(characteristic: String, ValueSource?)
            /// Sends a message in as many values as it needs.
            case send(message: String, ValueSource)
            /// Advertises other data from now on.
            case advertise(AdvertisedData)
            /// Answers the request with an ATT error.
            case error(UInt8)
            /// Answers the request as it would be answered without the reaction; `false`: never.
            case respond(Bool)
            /// Ends the connection of the client that it is about, else all.
            case disconnect
            /// Asks the client to pair, or to encrypt by the bond (Vol 3, Part H, 2.4.6).
            case pair
            /// Seconds until the next action.
            case delay(Double)
        }

        public var trigger: Trigger
        public var actions: [Action]
        /// How often it happens; nil for no limit.
        public var limit: Int?
        /// How likely it is to happen each time, from 0 to 1; nil for certain.
        public var chance: Double?
        public var place: SourcePlace

        public init(trigger: Trigger, actions: [Action], place: SourcePlace) {
            self.trigger = trigger
            self.actions = actions
            self.place = place
        }
    }

    /// Where a value comes from.
    public enum ValueSource: Sendable {
        case bytes([UInt8])
        /// A value of one of the characteristic's types.
        case value(Value, type: String)
        case generated(Generator)
    }

    /// The next value of a row, for one field of the characteristic's current value.
    public struct Generator: Sendable {
        public enum Form: Sendable {
            case cycle([Value])
            /// From the first to the last by steps, then from the first again.
            case ramp(from: Double, to: Double, step: Double)
            /// Evenly between the bounds, from the emulation's seed.
            case random(ClosedRange<Double>)
        }

        public var field: String
        public var form: Form

        public init(field: String, form: Form) {
            self.field = field
            self.form = form
        }
    }

    public init(place: SourcePlace) {
        self.place = place
    }
}
