import Dispatch
import PluginKit
import Synchronization
import Workbench

/// An MQTT broker. Messages have QoS 1, which the broker confirms.
final class MQTTDestination: Destination {
    let name: String
    let interval = Duration.zero
    /// A broker that crashes may lose messages that it has confirmed but not yet written to disk.
    let doubtTime = Duration.seconds(60)
    let secrets = Secrets()
    private let settings: PublishOptions.MQTT
    /// The library's calls block, so they run on a separate queue.
    private let queue = DispatchQueue(label: "mqtt")
    /// Nil while there is no connection.
    private let session = Mutex<MQTTSession?>(nil)

    init(_ settings: PublishOptions.MQTT) {
        self.settings = settings
        name = "mqtt:\(settings.host):\(settings.port)"
    }

    func encode(_ batch: PublishedBatch, of publication: Publication) -> [CloudMessage]? {
        publication.messages(batch)
    }

    func send(_ messages: [CloudMessage]) async throws(DeliveryFailure) -> [String] {
        try await perform { [settings, secrets] session throws(DeliveryFailure) in
            let open: MQTTSession
            if let session { open = session } else { open = try MQTTSession(settings, secrets) }
            session = open
            try open.publish(messages)
        }
        return []
    }

    func rest() async throws(DeliveryFailure) {
        try await perform { session throws(DeliveryFailure) in try session?.rest() }
    }

    func close() async { try? await perform { $0 = nil } }

    /// Calls `body` with the session on its queue; a failed session is discarded.
    private func perform(
        _ body: @escaping @Sendable (inout sending MQTTSession?) throws(DeliveryFailure) -> Void
    ) async throws(DeliveryFailure) {
        let failure: DeliveryFailure? = await withCheckedContinuation { continuation in
            queue.async {
                let failure = self.session.withLock { session -> DeliveryFailure? in
                    do throws(DeliveryFailure) {
                        try body(&session)
                        return nil
                    } catch {
                        session = nil
                        return error
                    }
                }
                continuation.resume(returning: failure)
            }
        }
        if let failure { throw failure }
    }
}
