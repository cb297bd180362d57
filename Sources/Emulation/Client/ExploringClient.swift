import Bluetooth
package import Bytes
package import PluginKit
package import Profile

/// A generic client for any profile: it connects, subscribes to everything, reads everything, and stays connected until
/// the task `leave`.
package struct ExploringClient: DeviceClient {
    package static let tasks = [
        StimulusDefinition("explore", "Connects, subscribes to everything and reads everything."),
        StimulusDefinition("leave", "Disconnects, once everything was read."),
    ]

    private let profile: Profile
    private var characteristics: [CharacteristicDefinition]
    /// Number of outstanding requests.
    private var open = 0
    /// Whether reads are still outstanding.
    private var isExploring = false
    /// Whether it disconnects when everything is read.
    private var leaves = false

    package init(_ profile: CompiledProfile, dialect: String?) {
        self.profile = profile.profile
        characteristics = profile.profile.services(of: dialect).flatMap(\.characteristics)
    }

    package mutating func select(dialect: String) {
        characteristics = profile.services(of: dialect).flatMap(\.characteristics)
    }

    package var deadline: Timestamp? { nil }

    package mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task(let task) where task.name == "leave":
            leaves = isExploring
            return isExploring ? [] : [.disconnect]
        case .task:
            isExploring = true
            return [.connect]
        case .connected:
            isExploring = true
            let subscriptions = characteristics.filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
                .map { ClientAction.subscribe($0.name, true) }
            let reads = characteristics.filter { $0.properties.contains(.read) }.map { ClientAction.read($0.name) }
            open = subscriptions.count + reads.count
            return open == 0 ? explored() : subscriptions + reads
        case .read(let name, .failure(.refused(let code))), .written(let name, .refused(let code)?):
            let error = ATT.ErrorCode(rawValue: code)
            guard Self.securityErrors.contains(error) else { return ended() }
            let note = TwinNote(
                "needs_encryption", ["characteristic": .text(name), "error": .text(error.name ?? "\(code)")])
            return [.event(note)] + ended()
        case .read, .written: return ended()
        case .disconnected:
            (isExploring, leaves) = (false, false)
            return []
        case .notified, .committed, .time: return []
        }
    }

    /// Errors with which a server asks for encryption or pairing; this client does not pair.
    private static let securityErrors: Set<ATT.ErrorCode> = [
        .insufficientAuthentication, .insufficientEncryption, .encryptionKeySizeTooShort, .insufficientAuthorization,
    ]

    private mutating func ended() -> [ClientAction] {
        open -= 1
        return open == 0 ? explored() : []
    }

    private mutating func explored() -> [ClientAction] {
        isExploring = false
        defer { leaves = false }
        return [.event(TwinNote("explored"))] + (leaves ? [.disconnect] : [])
    }
}
