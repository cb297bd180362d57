package import PluginKit

/// Addresses of this machine: secrets go there without TLS, and requests without a proxy.
package enum ThisMachine {
    /// Whether a host name is this machine's.
    package static func isNamed(_ host: String) -> Bool { ["localhost", "127.0.0.1"].contains(host) }

    /// Whether the host of an HTTP URL is this machine. A URL with a user or an odd port is not taken for one.
    package static func isHost(of url: String) -> Bool {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty else { return false }
        let address = parts[2].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return isNamed(address[0]) && (address.count == 1 || address[1].allSatisfy(\.isNumber))
    }
}

/// What the user asks of `publish`.
package struct PublishOptions: Sendable {
    /// The Firestore database that documents are written to.
    package struct Firestore: Sendable {
        /// `https://firestore.googleapis.com`, or that of an emulator.
        package var base: String
        package var project: String
        package var database: String
        /// Path of a file with an access token, which is read for each request; nil for an emulator without one.
        package var tokenFile: String?
        /// How long a request may take.
        package var timeLimit = Duration.seconds(30)

        package init(base: String, project: String, database: String, tokenFile: String? = nil) {
            self.base = base
            self.project = project
            self.database = database
            self.tokenFile = tokenFile
        }

        /// Whether an access token goes over the network unencrypted.
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
        /// Certificates of the authorities that are trusted, which turns TLS on; the client's certificate and its key.
        package var authorities: String?
        package var certificate: String?
        package var key: String?
        /// Whether a password may go to another machine without TLS.
        package var allowsPlainPassword = false

        /// Whether a password goes over the network unencrypted.
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
    package var firestore: Firestore?
    package var mqtt: MQTT?
    /// Whether to end when all is published; else it goes on until it is stopped.
    package var endsWhenDone = false
    /// How often a batch is tried before it ends; nil for as long as it takes.
    package var attempts: Int?
    /// Rows of a batch at most.
    package var batchSize = 200
    /// How often the present state is published that has changed without new rows.
    package var stateInterval = Duration.seconds(30)

    package init(publication: Publication, schema: [StoredTables], store: String) {
        self.publication = publication
        self.schema = schema
        self.store = store
    }
}

/// What happens while a store is published.
package enum PublishEvent: Sendable {
    /// A batch is confirmed: rows of it, and all so far.
    case published(destination: String, rows: Int, total: Int)
    /// A batch could not be published; it is tried again after the wait.
    case failed(destination: String, reason: String, wait: Duration)
    /// A document was written by another publisher too.
    case conflict(destination: String, document: String)
    /// A destination gets nothing more; others go on.
    case ended(PublishFault)
}

/// Publishes what a store holds. The module `Cloud` has the one that there is; a program without it hands its command over to
/// the program that has it.
package protocol CloudPublisher: SendableMetatype {
    /// Publishes until it is cancelled, or until all is published if the options say so; throws `PublishFault` for what no
    /// further attempt can mend.
    static func publish(_ options: PublishOptions, tell: @escaping @Sendable (PublishEvent) -> Void) async throws
}

package struct PublishFault: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
