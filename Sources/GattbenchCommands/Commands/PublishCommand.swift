import ArgumentParser
import Bytes
import Captures
import Glibc
import PluginKit
import Profile
import Transports
import Workbench

/// `gattbench publish`.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish what a gateway keeps: to Firestore, to an MQTT broker.",
        discussion: """
            Publishes the rows of the store in order, each batch until its destination has confirmed it, beside the gateway that
            adds them. A store that the gateway has not made yet is waited for. What was not confirmed when the program or the
            machine stopped is sent again: a commit to Firestore has its effect once, a message to a broker may come twice.
            Ctrl-C ends it; with --once it ends when all is published.

            The token, passwords and keys are in files, which are read when they are needed. To refresh the token, replace its
            file. A token is sent by https only, a password by TLS only (--mqtt-ca), or to localhost; --mqtt-plain-password
            permits a password without TLS.

            Exit codes: 0 stopped, or all is published · 2 usage error · 3 a destination refuses the rows, or was tried as often
            as --attempts says.

            EXAMPLES
              gattbench publish lifecount --firestore my-project --token-file token
              gattbench publish lifecount --mqtt broker.local --mqtt-ca ca.pem --mqtt-user door --mqtt-password-file password
              gattbench publish lifecount --firestore demo --firestore-url http://localhost:8080 --once
            """)

    @Argument(help: "The plugin whose devices' records are published.")
    var plugin: String

    @Option(help: ArgumentHelp("The store.", valueName: "path"))
    var store: String?

    @Option(help: ArgumentHelp("Publish documents to the Firestore database of this project.", valueName: "project"))
    var firestore: String?

    @Option(help: ArgumentHelp("The database of the project.", valueName: "name"))
    var firestoreDatabase = "(default)"

    @Option(help: ArgumentHelp("Address of the service, or of an emulator.", valueName: "url"))
    var firestoreUrl = "https://firestore.googleapis.com"

    @Option(help: ArgumentHelp("File with an access token for Firestore.", valueName: "file"))
    var tokenFile: String?

    @Option(help: ArgumentHelp("Publish messages to this broker.", valueName: "host[:port]"))
    var mqtt: String?

    @Option(help: ArgumentHelp("User at the broker.", valueName: "name"))
    var mqttUser: String?

    @Option(help: ArgumentHelp("File with the user's password.", valueName: "file"))
    var mqttPasswordFile: String?

    @Flag(help: "Send the password to another machine without TLS, where everyone on the way can read it.")
    var mqttPlainPassword = false

    @Option(help: ArgumentHelp("Certificates that are trusted (PEM); turns TLS on.", valueName: "file"))
    var mqttCa: String?

    @Option(help: ArgumentHelp("The client's certificate (PEM).", valueName: "file"))
    var mqttCert: String?

    @Option(help: ArgumentHelp("The key of the client's certificate (PEM).", valueName: "file"))
    var mqttKey: String?

    @Option(
        help: ArgumentHelp("People that there is room for in locations of which that is not set.", valueName: "people"))
    var capacity: Int64?

    @Option(help: ArgumentHelp("End when a batch has failed n times; by default it is tried for ever.", valueName: "n"))
    var attempts: Int?

    @Flag(help: "Leave out the state of locations and devices, for a function in the cloud that computes it.")
    var entriesOnly = false

    @Flag(help: "End when all is published.")
    var once = false

    @Flag(help: "Print events as JSON lines.")
    var json = false

    @OptionGroup var terminal: TerminalArguments

    func run() async throws {
        let options = try makeOptions()
        guard let publisher = ProgramServices.own.publisher else { throw FullProgram.takeOver() }
        Interruption.watch()
        let isJSON = json
        let work = Task {
            do {
                try await Self.waitForStore(options.store)
            } catch is CancellationError {
                return
            }
            try await publisher.publish(options) { event in try? Console.write(isJSON ? event.json : event.line) }
        }
        do {
            try await Interruption.value(of: work) {
                // Does not wait for destinations any longer: unconfirmed batches are sent again.
                try await Task.sleep(for: .seconds(2))
                Glibc.exit(0)
            }
        } catch let fault as PublishFault {
            Console.note("\(fault)")
            throw ExitCode(Exit.unreadable)
        }
    }

    /// Waits for the store that a gateway beside has not made yet.
    private static func waitForStore(_ path: String) async throws {
        if Folder.exists(path) { return }
        Console.note("\(path.quotedIfEmpty): there is no store yet; waiting for the gateway that makes it")
        while !Folder.exists(path) { try await Task.sleep(for: pollTime) }
        // The gateway may still be making the tables.
        for _ in 0..<openings where (try? StoreFile.open(path)) == nil { try await Task.sleep(for: pollTime) }
    }

    private static let pollTime = Duration.milliseconds(250)
    /// Number of attempts to open a store that was just made.
    private static let openings = 40

    private func makeOptions() throws -> PublishOptions {
        guard firestore != nil || mqtt != nil else {
            throw UsageError("expected --firestore PROJECT or --mqtt HOST: nothing is published by default")
        }
        guard let publication = BuiltInPlugins.tables(of: plugin)?.publication else {
            throw UsageError("\(plugin) publishes nothing; lifecount does")
        }
        if let capacity, !(1...1_000_000).contains(capacity) {
            throw UsageError("--capacity \(capacity): expected 1 to 1000000")
        }
        if let attempts, attempts < 1 { throw UsageError("--attempts \(attempts): expected 1 or more") }
        let target = try firestore.map { try database(of: $0) }
        let messages = try mqtt.map { try broker($0) }
        let environment = ProcessEnvironment.variables
        let zone = ZoneFile.local(environment: environment)
        var options = PublishOptions(
            publication: publication, schema: BuiltInPlugins.schema,
            store: StoreFile.path(store, environment: environment)
        ) {
            var input = CommandInput(now: SystemClock().now)
            input.localZone = zone
            input.findZone = { ZoneFile.zone($0) }
            return input
        }
        if once, !Folder.exists(options.store) {
            throw StoreFault("\(options.store.quotedIfEmpty): there is no store; a gateway makes it")
        }
        options.settings = capacity.map { ["capacity": $0] } ?? [:]
        options.isEntriesOnly = entriesOnly
        options.endsWhenDone = once
        options.attempts = attempts
        (options.firestore, options.mqtt) = (target, messages)
        return options
    }

    private func database(of project: String) throws -> PublishOptions.Firestore {
        let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:()".utf8)
        for (option, name) in [("--firestore", project), ("--firestore-database", firestoreDatabase)] {
            guard !name.isEmpty, name.utf8.allSatisfy(letters.contains) else {
                throw UsageError("\(option) \(name): expected a name like my-project")
            }
        }
        let base = firestoreUrl.hasSuffix("/") ? String(firestoreUrl.dropLast()) : firestoreUrl
        let parts = base.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty, !parts[2].isEmpty,
            !parts[2].contains("@")
        else {
            throw UsageError("--firestore-url \(firestoreUrl): expected an address like http://localhost:8080")
        }
        let target = PublishOptions.Firestore(
            base: base, project: project, database: firestoreDatabase, tokenFile: tokenFile)
        if target.sendsPlainToken {
            throw UsageError("--firestore-url \(firestoreUrl): a token is sent by https only, or to localhost")
        }
        return target
    }

    private func broker(_ text: String) throws -> PublishOptions.MQTT {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let port = parts.count == 2 ? Int32(parts[1]) : mqttCa == nil ? 1883 : 8883
        guard parts.count <= 2, !parts[0].isEmpty, let port, (1...65_535).contains(port) else {
            throw UsageError("--mqtt \(text): expected a host, or a host and a port like broker.local:1883")
        }
        if mqttCa == nil, mqttCert != nil || mqttKey != nil {
            throw UsageError("--mqtt-cert and --mqtt-key go with --mqtt-ca, which turns TLS on")
        }
        if (mqttCert == nil) != (mqttKey == nil) { throw UsageError("--mqtt-cert and --mqtt-key go together") }
        if mqttUser == nil, mqttPasswordFile != nil { throw UsageError("--mqtt-password-file goes with --mqtt-user") }
        if mqttPlainPassword, mqttPasswordFile == nil {
            throw UsageError("--mqtt-plain-password goes with --mqtt-password-file")
        }
        var broker = PublishOptions.MQTT(host: parts[0], port: port)
        (broker.user, broker.passwordFile) = (mqttUser, mqttPasswordFile)
        (broker.authorities, broker.certificate, broker.key) = (mqttCa, mqttCert, mqttKey)
        broker.allowsPlainPassword = mqttPlainPassword
        if broker.sendsPlainPassword {
            guard mqttPlainPassword else {
                throw UsageError(
                    "--mqtt \(text): a password is sent by TLS only, or to localhost: add --mqtt-ca, or "
                        + "--mqtt-plain-password to send it where others can read it")
            }
            Console.note("--mqtt \(text): the password is sent without TLS; everyone on the way can read it")
        }
        return broker
    }
}

extension PublishEvent {
    fileprivate var line: String {
        switch self {
        case .published(let destination, let rows, let total): "\(destination): \(rows) published, \(total) in all\n"
        case .failed(let destination, let reason, let wait): "\(destination): \(reason); again in \(wait.text)\n"
        case .conflict(let destination, let document):
            "\(destination): conflict: another gateway has written \(document)\n"
        case .ended(let fault): "\(fault)\n"
        }
    }

    fileprivate var json: String {
        let record: Record =
            switch self {
            case .published(let destination, let rows, let total):
                [
                    "event": .text("published"), "destination": .text(destination), "rows": .integer(Int64(rows)),
                    "total": .integer(Int64(total)),
                ]
            case .failed(let destination, let reason, let wait):
                [
                    "event": .text("failed"), "destination": .text(destination), "reason": .text(reason),
                    "wait_s": .integer(wait.components.seconds),
                ]
            case .conflict(let destination, let document):
                ["event": .text("conflict"), "destination": .text(destination), "document": .text(document)]
            case .ended(let fault): ["event": .text("ended"), "reason": .text(fault.description)]
            }
        return Value.record(record).json + "\n"
    }
}

extension Duration {
    /// `4 s`.
    fileprivate var text: String { "\(max(1, components.seconds)) s" }
}
