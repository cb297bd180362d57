import PluginKit
import Profile
import Store
package import Workbench

/// Publishes rows of a store in order: each batch until its destination has confirmed it.
///
/// Receiving goes on meanwhile in another program, and nothing waits in memory but one batch. A destination that ends does
/// not end the others.
package enum Publisher: CloudPublisher {
    package static func publish(
        _ options: PublishOptions, tell: @escaping @Sendable (PublishEvent) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: PublishFault?.self) { group in
            if let firestore = options.firestore {
                let destination = FirestoreDestination(firestore)
                group.addTask { try await run(options, destination, tell) }
            }
            if let mqtt = options.mqtt {
                let destination = MQTTDestination(mqtt)
                group.addTask { try await run(options, destination, tell) }
            }
            var faults: [String] = []
            for try await fault in group {
                guard let fault else { continue }
                faults.append(fault.description)
                if !group.isEmpty { tell(.ended(fault)) }
            }
            if !faults.isEmpty { throw PublishFault(faults.joined(separator: "\n")) }
        }
    }

    /// Returns why a destination has ended before all was published.
    private static func run(
        _ options: PublishOptions, _ destination: some Destination, _ tell: @escaping @Sendable (PublishEvent) -> Void
    ) async throws -> PublishFault? {
        do {
            let lock = try PublisherLock(store: options.store, destination: destination.name)
            defer { withExtendedLifetime(lock) {} }
            var delivery = try Delivery(options, destination)
            try await delivery.run(tell)
        } catch let fault as PublishFault {
            return fault
        } catch is CancellationError {}
        return nil
    }
}
