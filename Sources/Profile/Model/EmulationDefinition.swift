package import Bluetooth

/// Section `emulate`: declared behaviour of a virtual device.
package struct EmulationDefinition: Sendable {
    /// Local name; nil for none.
    package var name: String?
    /// Advertising interval, in seconds.
    package var interval: Double?
    /// Advertising data in addition to service UUIDs and the local name.
    package var advertising: [AdvertisedData] = []
    /// Whether clients can connect; nil for yes if the profile has services.
    package var isConnectable: Bool?
    /// Initial values of characteristics.
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
            /// An AD structure of this type; the value is its entire data.
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

    /// Actions performed on a trigger.
    package struct Reaction: Sendable {
        package enum Trigger: Sendable {
            case event(EventPattern)
            /// Periodic, in seconds. Runs while the device is powered if the actions advertise, otherwise while a
            /// client is connected.
            case timer(seconds: Double)
            case connected
            case disconnected
            /// A client enables notifications or indications of a characteristic, or disables both.
            case subscribed(characteristic: String, Bool)
        }

        package enum Action: Sendable, Hashable {
            case set(characteristic: String, ValueSource)
            case notify(characteristic: String, ValueSource?)
            /// Sends a message, split into values as needed.
            case send(message: String, ValueSource)
            /// Replaces advertised data.
            case advertise(AdvertisedData)
            /// Answers the request with an ATT error.
            case error(UInt8)
            /// Answers the request as without the reaction; `false` suppresses the response.
            case respond(Bool)
            /// Disconnects the client that triggered the reaction, or all clients if none did.
            case disconnect
            /// Sends a Security Request: the client pairs, or encrypts with the existing bond (Vol 3, Part H, 2.4.6).
            case pair
            /// Seconds until the next action.
            case delay(Double)
        }

        package var trigger: Trigger
        package var actions: [Action]
        /// Maximum number of times; nil for no limit.
        package var limit: Int?
        /// Probability per trigger, from 0 to 1; nil for always.
        package var chance: Double?
        package var place: SourcePlace

        package init(trigger: Trigger, actions: [Action], place: SourcePlace) {
            self.trigger = trigger
            self.actions = actions
            self.place = place
        }
    }

    /// Source of a value.
    package enum ValueSource: Sendable, Hashable {
        case bytes([UInt8])
        /// A value of the given type, one of the characteristic's types.
        case value(Value, type: String)
        case generated(Generator)
    }

    /// Generates successive values for one field of the characteristic's current value.
    package struct Generator: Sendable, Hashable {
        package enum Form: Sendable, Hashable {
            case cycle([Value])
            /// From `from` to `to` by `step`, then from `from` again.
            case ramp(from: Double, to: Double, step: Double)
            /// Uniformly distributed within the bounds; seeded by the emulation.
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
