import BluetoothTypes
package import Bytes
import GATT
package import PluginKit
package import Profile

/// A client of any device that has a profile: it connects, asks for everything that is told, reads everything that can be
/// read, and stays.
package struct ExploringClient: DeviceClient {
    /// What its user can want.
    package static let tasks = [
        StimulusDefinition("explore", "Connects, subscribes to everything and reads everything."),
        StimulusDefinition("leave", "Disconnects."),
    ]

    private let characteristics: [CharacteristicDefinition]
    /// Requests without an outcome.
    private var open = 0

    package init(_ profile: CompiledProfile, dialect: String?) {
        characteristics = profile.profile.services(of: dialect).flatMap(\.characteristics)
    }

    package var deadline: Timestamp? { nil }

    package mutating func handle(_ input: ClientInput, at now: Timestamp) -> [ClientAction] {
        switch input {
        case .task(let task): return task.name == "leave" ? [.disconnect] : [.connect]
        case .connected:
            let subscriptions = characteristics.filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
                .map { ClientAction.subscribe($0.name, true) }
            let reads = characteristics.filter { $0.properties.contains(.read) }.map { ClientAction.read($0.name) }
            open = subscriptions.count + reads.count
            return subscriptions + reads
        case .read, .written:
            open -= 1
            return open == 0 ? [.tell(TwinNote("explored"))] : []
        case .disconnected, .notified, .committed, .time: return []
        }
    }
}
