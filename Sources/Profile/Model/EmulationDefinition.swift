package import Bluetooth

/// Section `emulate`: the behaviour of a virtual device that needs no code.
package struct EmulationDefinition: Sendable {
    /// Local name; nil for none.
    package var name: String?
    /// Seconds between advertisements.
    package var interval: Double?
    /// What it advertises beside its services and its name.
    package var advertising: [AdvertisedData] = []
    /// Whether clients can connect; nil: if it has services.
    package var isConnectable: Bool?
    /// What characteristics hold at first.
    package var values: [InitialValue] = []
    package var reactions: [Reaction] = []
    package var place: SourcePlace

    package struct InitialValue: Sendable {
        package var characteristic: String
        package var value: ValueSource
        package var place: SourcePlace

        package init(characteristic: String, value: ValueSource, place: SourcePlace) {
            self.characteristic = characteristic
            self.value = value
            self.place = place
        }
    }

    /// Data of an AD structure.
    package struct AdvertisedData: Sendable, Hashable {
        package enum Carrier: Sendable, Hashable {
            case data(GAP.DataOwner)
            /// A structure of this AD type; the value is all of it.
            case structure(type: UInt8)
        }

        package var carrier: Carrier
        package var value: ValueSource
        package var place: SourcePlace

        package init(_ carrier: Carrier, value: ValueSource, place: SourcePlace) {
            self.carrier = carrier
            self.value = value
            self.place = place
        }
    }

    /// Something that happens by itself.
    package struct Reaction: Sendable {
        package enum Trigger: Sendable {
            case event(EventPattern)
            /// Every so many seconds: while the device has power, if it advertises then; else while a client is connected.
            case timer(seconds: Double)
            case connected
            case disconnected
            /// A client turns notifications or indications of a characteristic on, or both off.
            case subscribed(characteristic: String, Bool)
        }

        package enum Action: Sendable, Hashable {
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

        package var trigger: Trigger
        package var actions: [Action]
        /// How often it happens; nil for no limit.
        package var limit: Int?
        /// How likely it is to happen each time, from 0 to 1; nil for certain.
        package var chance: Double?
        package var place: SourcePlace

        package init(trigger: Trigger, actions: [Action], place: SourcePlace) {
            self.trigger = trigger
            self.actions = actions
            self.place = place
        }
    }

    /// Where a value comes from.
    package enum ValueSource: Sendable, Hashable {
        case bytes([UInt8])
        /// A value of one of the characteristic's types.
        case value(Value, type: String)
        case generated(Generator)
    }

    /// The next value of a row, for one field of the characteristic's current value.
    package struct Generator: Sendable, Hashable {
        package enum Form: Sendable, Hashable {
            case cycle([Value])
            /// From the first to the last by steps, then from the first again.
            case ramp(from: Double, to: Double, step: Double)
            /// Evenly between the bounds, from the emulation's seed.
            case random(ClosedRange<Double>)
        }

        package var field: String
        package var form: Form

        package init(field: String, form: Form) {
            self.field = field
            self.form = form
        }
    }

    package init(place: SourcePlace) {
        self.place = place
    }
}
