import PluginKit
import Profile
import Store
package import Workbench

/// Publishes the rows of a store in order: each batch until its destination has confirmed it.
///
/// Another program receives rows meanwhile; at most one batch is held in memory. If one destination fails, the others
/// continue.
package enum Publisher: CloudPublisher {
    package static func publish(
        _ options: PublishOptions, notify: @escaping @Sendable (PublishEvent) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: PublishFault?.self) { group in
            if let firestore = options.firestore {
                let destination = FirestoreDestination(firestore)
                group.addTask { try await run(options, destination, notify) }
            }
            if let mqtt = options.mqtt {
                let destination = MQTTDestination(mqtt)
                group.addTask { try await run(options, destination, notify) }
            }
            var faults: [String] = []
            for try await fault in group {
                guard let fault else { continue }
                faults.append(fault.description)
                if !group.isEmpty { notify(.ended(fault)) }
            }
            if !faults.isEmpty { throw PublishFault(faults.joined(separator: "\n")) }
        }
    }

    /// Returns the reason if a destination fails before all is published.
    private static func run(
        _ options: PublishOptions, _ destination: some Destination, _ notify: @escaping @Sendable (PublishEvent) -> Void
    ) async throws -> PublishFault? {
        do {
            let lock = try PublisherLock(store: options.store, destination: destination.name)
            defer { withExtendedLifetime(lock) {} }
            var delivery = try Delivery(options, destination)
            try await delivery.run(notify)
        } catch let fault as PublishFault {
            return fault
        } catch is CancellationError {}
        return nil
    }
}
