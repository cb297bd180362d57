package import Bluetooth

/// The functions of LE legacy pairing (Vol 3, Part H, 2.2.3 and 2.2.4).
package enum LegacyPairing {
    /// The pairing data that both devices know before the confirm values.
    package struct Context: Hashable, Sendable {
        /// Pairing Request including its code, as a number: the first byte is the least significant.
        package var request: UInt64
        /// Pairing Response, in the same form.
        package var response: UInt64
        package var initiator: DeviceAddress
        package var responder: DeviceAddress

        package init(request: UInt64, response: UInt64, initiator: DeviceAddress, responder: DeviceAddress) {
            self.request = request
            self.response = response
            self.initiator = initiator
            self.responder = responder
        }

        /// Takes the features in Pairing Request and Pairing Response.
        package init(
            _ request: SMP.PairingFeatures, _ response: SMP.PairingFeatures, initiator: DeviceAddress,
            responder: DeviceAddress
        ) {
            func number(_ command: [UInt8]) -> UInt64 { command.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
            self.init(
                request: number(SMP.encode(SMP.PairingRequest(features: request))),
                response: number(SMP.encode(SMP.PairingResponse(features: response))), initiator: initiator,
                responder: responder)
        }
    }

    /// The confirm value c1 of a random number with the temporary key (Vol 3, Part H, 2.2.3).
    package static func c1(key: SecretKey, random: UInt128, _ context: Context) -> UInt128 {
        let commands =
            UInt128(context.response & 0xFF_FFFF_FFFF_FFFF) << 72
            | UInt128(context.request & 0xFF_FFFF_FFFF_FFFF) << 16
        let p1 = commands | UInt128(context.responder.kind.rawValue) << 8 | UInt128(context.initiator.kind.rawValue)
        let p2 = UInt128(context.initiator.address.value) << 48 | UInt128(context.responder.address.value)
        let cipher = AES128(key: key)
        return cipher.encrypt(cipher.encrypt(random ^ p1) ^ p2)
    }

    /// The short term key s1 of the responder's and the initiator's random numbers (Vol 3, Part H, 2.2.4).
    package static func s1(key: SecretKey, responder: UInt128, initiator: UInt128) -> SecretKey {
        let low: UInt128 = 0xFFFF_FFFF_FFFF_FFFF
        return SecretKey(AES128(key: key).encrypt((responder & low) << 64 | initiator & low))
    }
}
