package import BluetoothCrypto
package import BluetoothTypes

extension Host {
    /// How a host presents itself and what it does without being asked.
    package struct Configuration: Hashable, Sendable {
        /// Which address the device uses on the air.
        package enum Addressing: Hashable, Sendable {
            case `public`
            /// A static random address; one is drawn where none is given.
            case random(Address?)
            /// A resolvable private address that changes; the identity is the static random address.
            case resolvablePrivate(Address?)
        }

        package var addressing = Addressing.random(nil)
        /// Makes this device's private addresses; handed out to bonded peers. Drawn where none is given.
        package var identityKey: SecretKey?
        /// How long a private address is used (Vol 3, Part C, Appendix A recommends 15 minutes).
        package var privateAddressLifetime = Duration.seconds(900)
        package var pairing = PairingSettings()
        package var serverLimits = AttributeServer.Limits()
        /// ATT_MTU that the client asks for as soon as it is connected; nil: it does not ask by itself.
        package var clientMTU: UInt16? = 517
        /// Whether a central asks for long packets as soon as it is connected, if the controller can.
        package var usesLongPackets = true
        /// Whether the extended commands are used where the controller has all of them.
        package var usesExtendedAdvertising = true
        /// Whether a central grants other timings to peripherals.
        package var acceptsTimings = true

        package init() {}
    }
}
