import Foundation
import Glibc
import PDUTestKit
import Store
import Synchronization
import TestKit
import Testing
import Workbench

/// Debian installs the broker in a directory that is not in every PATH.
private let mosquitto = "/usr/sbin/mosquitto"
private let subscriber = "/usr/bin/mosquitto_sub"
private let isThere = [mosquitto, subscriber].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

/// A mosquitto broker.
private final class Broker {
    let port: Int32
    private let folder: TemporaryFolder
    private var process = Process()

    /// - Parameter lines: Lines of the broker's configuration; `FOLDER` stands for the test's folder.
    init(_ folder: TemporaryFolder, _ lines: String = "allow_anonymous true") throws {
        self.folder = folder
        port = Int32.random(in: 20_000..<30_000)
        // The broker drops root privileges, and still has to read and write its files.
        for name in [""] + (try folder.names) {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(name))
        }
        try configure(lines)
        try start()
    }

    /// Writes the configuration for the next start.
    func configure(_ lines: String) throws {
        let text = lines.replacing("FOLDER", with: folder.path)
        try folder.file("mosquitto.conf", "user root\nlistener \(port) 127.0.0.1\n\(text)\n".utf8)
    }

    /// Starts the broker and waits until it listens.
    func start() throws {
        process = Process()
        process.executableURL = URL(filePath: mosquitto)
        process.arguments = ["-c", folder.path("mosquitto.conf")]
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<200 where !isListening { usleep(50_000) }
    }

    private var isListening: Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Stops the broker with SIGKILL.
    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    deinit { kill() }

    /// Subscribes to everything; ends after `-C` messages or 20 s.
    func subscribe(_ arguments: String...) throws -> Subscription {
        try Subscription(["-h", "localhost", "-p", "\(port)", "-q", "1", "-t", "#", "-v", "-W", "20"] + arguments)
    }
}

/// A subscriber in a child process.
private final class Subscription {
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: subscriber)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Topics and payloads, once the subscriber has exited.
    func lines() -> [String] {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }
}

/// Sequence numbers of the entries among the messages, in order.
private func numbers(in lines: [String]) -> [Int] {
    lines.filter { $0.hasPrefix("lifecount/3/entry") }.compactMap {
        $0.split(separator: "\"sequenceNumber\":").last?.split(separator: ",").first.flatMap { Int($0) }
    }
}

/// Publishing to Debian's broker.
@Suite(.enabled(if: isThere, "mosquitto and mosquitto-clients are not installed"), .serialized)
struct MQTTTests {
    private func options(_ store: CounterStore, _ broker: Broker) throws -> PublishOptions {
        var options = try store.options()
        options.mqtt = .init(host: "localhost", port: broker.port)
        return options
    }

    @Test func entriesAndStatesAreMessages() async throws {
        let store = try CounterStore(entries: 30)
        let broker = try Broker(store.folder)
        let subscription = try broker.subscribe("-C", "32")
        try await Task.sleep(for: .milliseconds(500))
        _ = try await publish(options(store, broker))
        // The state and the discovery are the same for both batches.
        let lines = subscription.lines()
        #expect(lines.count == 32)
        #expect(lines.first?.hasPrefix("homeassistant/sensor/lifecount_3/config {\"name\":\"People\"") == true)
        #expect(
            lines.dropFirst().first
                == #"lifecount/3/entry {"id":"hardware-7-1-0-1772449200000","locationId":"3","deviceId":"7","#
                + #""timestamp":"2026-03-02T11:00:00Z","delta":1,"source":"hardware","sequenceNumber":0,"#
                + #""gatewaySessionId":"1"}"#)
        #expect(numbers(in: lines) == Array(0..<30))
        // A later subscriber receives the retained state.
        let kept = try broker.subscribe("-C", "2").lines()
        #expect(kept.contains { $0.hasPrefix(#"lifecount/3/state {"currentCount":10,"#) }, "\(kept)")
    }

    /// Home Assistant's requirements for a discovered sensor, and its template for the count.
    @Test func homeAssistantFindsTheSensor() async throws {
        let store = try CounterStore(entries: 4)
        let broker = try Broker(store.folder)
        _ = try await publish(options(store, broker))
        let kept = try broker.subscribe("-C", "2").lines()
        let parts = try #require(kept.first { $0.hasPrefix("homeassistant/sensor/lifecount_3/config ") }).split(
            separator: " ", maxSplits: 1)
        let config = try #require(try JSONSerialization.jsonObject(with: Data(parts[1].utf8)) as? [String: Any])
        #expect(config["unique_id"] as? String == "lifecount_3_count")
        #expect(config["state_class"] as? String == "measurement")
        #expect((config["device"] as? [String: Any])?["identifiers"] as? [String] == ["lifecount_3"])
        let topic = try #require(config["state_topic"] as? String)
        let state = try #require(kept.first { $0.hasPrefix("\(topic) ") }).dropFirst(topic.count + 1)
        let values = try #require(try JSONSerialization.jsonObject(with: Data(state.utf8)) as? [String: Any])
        #expect(config["value_template"] as? String == "{{ value_json.currentCount }}")
        #expect(values["currentCount"] as? Int == 2)
    }

    @Test func aBrokerThatIsAwayGetsTheRestWhenItIsBack() async throws {
        let store = try CounterStore(entries: 200)
        let broker = try Broker(store.folder)
        broker.kill()
        let options = try options(store, broker)
        let failures = Mutex<[String]>([])
        let publishing = Task { try await publish(options) { reason in failures.withLock { $0.append(reason) } } }
        while failures.withLock(\.isEmpty) { try await Task.sleep(for: .milliseconds(20)) }
        try broker.start()
        _ = try await publishing.value
        #expect(failures.withLock(\.first) == "Connection refused")
        #expect(try store.position(of: "mqtt:localhost:\(broker.port)") == PublishingPosition(confirmed: 200))
        let kept = try broker.subscribe("-C", "2").lines()
        #expect(kept.contains { $0.hasPrefix(#"lifecount/3/state {"currentCount":68,"#) }, "\(kept)")
    }

    /// The broker confirms messages for a disconnected subscriber, and dies before it has written them to disk.
    @Test func whatABrokerHasConfirmedAndLostIsSentAgain() async throws {
        let store = try CounterStore(entries: 50)
        let lines = "allow_anonymous true\npersistence true\npersistence_location FOLDER/\n"
        let broker = try Broker(store.folder, lines + "autosave_interval 1\nautosave_on_changes true")
        _ = try broker.subscribe("-c", "-i", "archive", "-E").lines()
        // The subscription is on disk; nothing later will be.
        let database = URL(filePath: store.folder.path("mosquitto.db"))
        for _ in 0..<200 where (try? Data(contentsOf: database))?.range(of: Data("archive".utf8)) == nil {
            usleep(50_000)
        }
        broker.kill()
        try broker.configure(lines + "autosave_interval 3600")
        try broker.start()
        var options = try options(store, broker)
        options.endsWhenDone = false
        let (running, destination) = (options, "mqtt:localhost:\(broker.port)")
        let publishing = Task { try await publish(running) }
        while try store.position(of: destination).confirmed < 50 { try await Task.sleep(for: .milliseconds(20)) }
        broker.kill()
        try broker.start()
        let archive = try broker.subscribe("-c", "-i", "archive", "-C", "52")
        #expect(Set(numbers(in: archive.lines())) == Set(0..<50))
        publishing.cancel()
        #expect(try await publishing.value.count > 0)
    }

    @Test func aPasswordIsAskedFor() async throws {
        let store = try CounterStore(entries: 1)
        let passwords = try store.folder.file("passwords", "".utf8)
        try execute("/usr/bin/mosquitto_passwd", "-b", passwords, "door", "open sesame")
        let broker = try Broker(store.folder, "allow_anonymous false\npassword_file FOLDER/passwords")
        var options = try options(store, broker)
        options.attempts = 1
        let fault = try #require(await fault(of: options))
        #expect("\(fault)" == "mqtt:localhost:\(broker.port): refused: Connection Refused: not authorised.")
        options.mqtt?.user = "door"
        options.mqtt?.passwordFile = try store.folder.file("password", "open sesame\n".utf8)
        #expect(try await publish(options) == [])
    }

    /// No connection is attempted: nothing is sent before the refusal.
    @Test(arguments: ["192.0.2.1", "broker.invalid"])
    func aPasswordIsNotSentInTheClear(_ host: String) async throws {
        let store = try CounterStore(entries: 1)
        var options = try store.options()
        options.mqtt = .init(host: host, port: 1883)
        options.mqtt?.user = "door"
        options.mqtt?.passwordFile = try store.folder.file("password", "open sesame\n".utf8)
        let fault = try #require(await fault(of: options))
        #expect("\(fault)" == "mqtt:\(host):1883: a password is sent by TLS only, or to localhost")
        options.mqtt?.authorities = "ca.pem"
        #expect(options.mqtt?.sendsPlainPassword == false)
    }

    /// TLS with a client certificate; an authority that has not signed the broker's certificate is rejected.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
    func tlsIsVerified() async throws {
        let store = try CounterStore(entries: 3)
        let folder = store.folder
        for authority in ["ca", "other"] {
            try execute(
                "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=\(authority)",
                "-keyout", folder.path("\(authority).key"), "-out", folder.path("\(authority).pem"))
        }
        for name in ["localhost", "door"] {
            try execute(
                "/usr/bin/openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(name)", "-addext",
                "subjectAltName=DNS:\(name)", "-keyout", folder.path("\(name).key"), "-out", folder.path("\(name).csr"))
            try execute(
                "/usr/bin/openssl", "x509", "-req", "-in", folder.path("\(name).csr"), "-CA", folder.path("ca.pem"),
                "-CAkey",
                folder.path("ca.key"), "-CAcreateserial", "-days", "2", "-copy_extensions", "copy", "-out",
                folder.path("\(name).pem"))
        }
        let broker = try Broker(
            folder,
            """
            cafile FOLDER/ca.pem
            certfile FOLDER/localhost.pem
            keyfile FOLDER/localhost.key
            require_certificate true
            use_identity_as_username true
            allow_anonymous false
            """)
        var options = try options(store, broker)
        options.attempts = 1
        options.mqtt?.authorities = folder.path("ca.pem")
        options.mqtt?.certificate = folder.path("door.pem")
        options.mqtt?.key = folder.path("door.key")
        #expect(try await publish(options) == [])
        let tls = [
            "--cafile", folder.path("ca.pem"), "--cert", folder.path("door.pem"), "--key", folder.path("door.key"),
        ]
        #expect(try broker.subscribe("-C", "2", tls[0], tls[1], tls[2], tls[3], tls[4], tls[5]).lines().count == 2)

        try store.add(3..<4)
        var stranger = options
        stranger.mqtt?.authorities = folder.path("other.pem")
        #expect(await fault(of: stranger) != nil)
        var nobody = options
        nobody.mqtt?.certificate = nil
        nobody.mqtt?.key = nil
        #expect(await fault(of: nobody) != nil)
        var missing = options
        missing.mqtt?.authorities = folder.path("missing.pem")
        let missingFault = try #require(await fault(of: missing))
        #expect("\(missingFault)".contains("the certificates: "))
        #expect(try store.position(of: "mqtt:localhost:\(broker.port)") == PublishingPosition(confirmed: 3, pending: 4))
    }

    private func execute(_ program: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) \(arguments)")
    }
}
