package import Bluetooth
import BluetoothCrypto
import Bytes

/// The keys that follow from the pairings of one connection, as a sniffer or a host's log records them (Vol 3, Part H,
/// 3).
///
/// A key is reported as soon as a check value of the pairing proves it. Where no check value was heard, the text of its
/// origin says so. Keys of zeros are not reported: devices distribute them to say that they have none.
package struct PairingObserver: Sendable {
    private var features = BothSides<SMP.PairingFeatures?>(initiator: nil, responder: nil)
    /// The sides from which Pairing Request and Pairing Response seemed to come.
    private var claims = BothSides<Bool?>(initiator: nil, responder: nil)
    private var legacy = LegacyExchange()
    private var secure = SecureExchange()
    private var distributed = BothSides(initiator: DistributedKeys(), responder: DistributedKeys())

    package init() {}

    /// Handles a command of the Security Manager, and returns the keys that follow from it.
    ///
    /// - Parameters:
    ///   - command: the command including its code.
    ///   - fromInitiator: whether the central sent it, as far as is known.
    ///   - initiator: the address that the central has in this connection.
    ///   - responder: the address that the peripheral has in this connection.
    ///   - frame: the frame number, for the origin of the keys.
    ///   - ring: the keys that are known so far, and whether all passkeys are tried.
    ///   - budget: work that the pairings of the capture may still cost.
    package mutating func observe(
        _ command: some Collection<UInt8>, fromInitiator: Bool, initiator: DeviceAddress, responder: DeviceAddress,
        frame: Int, ring: KeyRing, _ budget: inout PairingBudget
    ) -> [KnownKey] {
        guard let pdu = Self.read(command) else { return [] }
        let isInitiator = fromInitiator != isReversed
        let parties = PairingParties(initiator: initiator, responder: responder, frame: frame)
        let isNew: Bool
        switch pdu {
        case let pdu as SMP.PairingRequest:
            begin(pdu.features, fromInitiator)
            return []
        case let pdu as SMP.PairingResponse:
            isNew = answer(pdu.features, fromInitiator)
        case is SMP.PairingFailed:
            forget()
            return []
        case let pdu as SMP.PairingPublicKey:
            isNew = secure.record(pdu, isInitiator) && isSecure
        case let pdu as SMP.PairingConfirm:
            isNew = isSecure ? secure.record(confirm: pdu.value, isInitiator) : legacy.record(pdu, isInitiator)
        case let pdu as SMP.PairingRandom:
            isNew = isSecure ? secure.record(random: pdu.value, isInitiator) : legacy.record(pdu, isInitiator)
        case let pdu as SMP.PairingDHKeyCheck:
            isNew = secure.record(check: pdu.value, isInitiator) && isSecure
        default:
            return distributed[isInitiator].record(pdu, from: parties[isInitiator].address, frame: frame)
        }
        guard isNew else { return [] }
        return isSecure
            ? secure.keys(features, parties, ring: ring, &budget)
            : legacy.keys(features, parties, ring: ring, &budget)
    }

    /// Whether the pairing is one of LE Secure Connections. A public key shows it where features were not heard.
    private var isSecure: Bool {
        guard let request = features.initiator, let response = features.responder else { return secure.hasPublicKey }
        return request.requirements.isSecureConnections && response.requirements.isSecureConnections
    }

    /// Whether the recorder took the sides for each other: a Pairing Request comes from the initiator.
    private var isReversed: Bool { claims.initiator == false && claims.responder == true }

    /// Handles a Pairing Request: another pairing begins, unless the same request is heard twice.
    private mutating func begin(_ request: SMP.PairingFeatures, _ fromInitiator: Bool) {
        if request == features.initiator, legacy.isEmpty, secure.isEmpty { return }
        forget()
        features.initiator = request
        claims.initiator = fromInitiator
    }

    /// Handles a Pairing Response, and returns whether it is new. One that differs answers a request that was not heard.
    private mutating func answer(_ response: SMP.PairingFeatures, _ fromInitiator: Bool) -> Bool {
        if response == features.responder { return false }
        if features.responder != nil { forget() }
        features.responder = response
        claims.responder = fromInitiator
        return true
    }

    private mutating func forget() {
        features = BothSides(initiator: nil, responder: nil)
        claims = BothSides(initiator: nil, responder: nil)
        legacy.forget()
        secure.forget()
        distributed = BothSides(initiator: DistributedKeys(), responder: DistributedKeys())
    }

    /// The command; nil for one that is cut, too long, or has a reserved code.
    private static func read(_ command: some Collection<UInt8>) -> (any SMP.PDU)? {
        // The longest command is Pairing Public Key.
        let bytes = Array(command.prefix(1 + 2 * SMP.coordinateSize + 1))
        var reader = ByteReader(bytes.span)
        do throws(DecodeError) {
            guard let pdu = try SMP.read(&reader), reader.isAtEnd else { return nil }
            return pdu
        } catch {
            return nil
        }
    }
}

/// A value of each side of a pairing.
struct BothSides<Value: Sendable>: Sendable {
    var initiator: Value
    var responder: Value

    subscript(isInitiator: Bool) -> Value {
        get { isInitiator ? initiator : responder }
        set { if isInitiator { initiator = newValue } else { responder = newValue } }
    }
}

extension BothSides<SMP.PairingFeatures?> {
    /// The size of the key that both devices support, in bytes; nil unless both features were heard and allow one (Vol
    /// 3, Part H, 2.3.4).
    var keySize: Int? {
        guard let initiator, let responder else { return nil }
        let size = Int(min(initiator.maximumKeySize, responder.maximumKeySize))
        return (7...16).contains(size) ? size : nil
    }
}

/// The addresses of two devices that pair, and the frame that ends what is known so far.
struct PairingParties {
    var initiator: DeviceAddress
    var responder: DeviceAddress
    var frame: Int

    subscript(isInitiator: Bool) -> DeviceAddress { isInitiator ? initiator : responder }

    /// A key of the connection. Both devices have it; the responder's address finds it again.
    func key(_ value: KnownKey.Value, _ text: String, isProved: Bool) -> KnownKey {
        KnownKey(
            value, address: responder.address,
            origin: .pairing(frame: frame, isProved ? text : "\(text), not confirmed"))
    }
}

/// Work that the pairings of a capture may still cost: one with a pairing for each packet takes no longer.
package struct PairingBudget: Sendable {
    /// Searches of all passkeys, of about 1 s each.
    private var searches: Int
    /// Shared secrets, of 2 ms each.
    private var agreements: Int
    /// Comparisons with confirm and check values, of some microseconds each.
    private var checks: Int

    package init(searches: Int = 16, agreements: Int = 1024, checks: Int = 1 << 16) {
        (self.searches, self.agreements, self.checks) = (searches, agreements, checks)
    }

    mutating func spendSearch() -> Bool { Self.take(1, of: &searches) }
    mutating func spendAgreement() -> Bool { Self.take(1, of: &agreements) }
    mutating func spend(checks count: Int) -> Bool { Self.take(count, of: &checks) }

    private static func take(_ amount: Int, of rest: inout Int) -> Bool {
        guard rest >= amount else { return false }
        rest -= amount
        return true
    }
}
