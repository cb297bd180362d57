package import PluginKit

/// Loopback names: secrets may be sent there without TLS, and requests bypass the proxy.
package enum ThisMachine {
    /// Whether a host name is a loopback name.
    package static func isNamed(_ host: String) -> Bool { ["localhost", "127.0.0.1"].contains(host) }

    /// Whether the host of an HTTP URL is this machine; false for a URL with a user or a malformed port.
    package static func isHost(of url: String) -> Bool {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty else { return false }
        let address = parts[2].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return isNamed(address[0]) && (address.count == 1 || address[1].allSatisfy(\.isNumber))
    }
}

/// Options of `publish`.
package struct PublishOptions: Sendable {
    /// The Firestore database that documents are written to.
    package struct Firestore: Sendable {
        /// Base URL: `https://firestore.googleapis.com`, or that of an emulator.
        package var base: String
        package var project: String
        package var database: String
        /// Path of a file with an access token, read for each request; nil for an emulator without authentication.
        package var tokenFile: String?
        /// Timeout of a request.
        package var timeLimit = Duration.seconds(30)

        package init(base: String, project: String, database: String, tokenFile: String? = nil) {
            self.base = base
            self.project = project
            self.database = database
            self.tokenFile = tokenFile
        }

        /// Whether an access token is sent over the network unencrypted.
        package var sendsPlainToken: Bool {
            tokenFile != nil && !base.hasPrefix("https://") && !ThisMachine.isHost(of: base)
        }
    }

    /// The MQTT broker that messages are published to.
    package struct MQTT: Sendable {
        package var host: String
        package var port: Int32
        package var user: String?
        package var passwordFile: String?
        /// Path of the trusted CA certificates, which enables TLS, and paths of the client's certificate and key.
        package var authorities: String?
        package var certificate: String?
        package var key: String?
        /// Whether a password may be sent to another machine without TLS.
        package var allowsPlainPassword = false

        /// Whether a password is sent over the network unencrypted.
        package var sendsPlainPassword: Bool {
            passwordFile != nil && authorities == nil && !ThisMachine.isNamed(host)
        }

        package init(host: String, port: Int32) {
            self.host = host
            self.port = port
        }
    }

    package var publication: Publication
    package var schema: [StoredTables]
    /// Path of the store's file.
    package var store: String
    package var settings: [String: Int64] = [:]
    /// The present time and the time zones, for the published state.
    package var makeInput: @Sendable () -> CommandInput
    package var firestore: Firestore?
    package var mqtt: MQTT?
    /// Whether only rows are published, without the current state.
    package var isEntriesOnly = false
    /// Whether to end when all rows are published; otherwise the publisher runs until it is stopped.
    package var endsWhenDone = false
    /// Maximum number of attempts per batch; nil for no limit.
    package var attempts: Int?
    /// Maximum number of rows in a batch.
    package var batchSize = 200
    /// Interval at which the current state is published if it has changed without new rows.
    package var stateInterval = Duration.seconds(30)

    package init(
        publication: Publication, schema: [StoredTables], store: String,
        makeInput: @escaping @Sendable () -> CommandInput
    ) {
        self.publication = publication
        self.schema = schema
        self.store = store
        self.makeInput = makeInput
    }
}

/// Events of the publisher.
package enum PublishEvent: Sendable {
    /// The destination has confirmed a batch: number of rows in it, and in total.
    case published(destination: String, rows: Int, total: Int)
    /// A batch could not be published; it is retried after the wait.
    case failed(destination: String, reason: String, wait: Duration)
    /// Another publisher has written the same document.
    case conflict(destination: String, document: String)
    /// A destination has failed permanently; the others continue.
    case ended(PublishFault)
}

/// Publishes the contents of a store. The module `Cloud` implements it; a program without that module runs the command
/// in a program that has it.
package protocol CloudPublisher: SendableMetatype {
    /// Publishes until it is cancelled, or until all is published if the options say so. Throws `PublishFault` for a
    /// permanent failure.
    static func publish(_ options: PublishOptions, notify: @escaping @Sendable (PublishEvent) -> Void) async throws
}

package struct PublishFault: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
