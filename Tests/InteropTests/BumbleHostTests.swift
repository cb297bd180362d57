import Bluetooth
import Bytes
import Captures
import Conformance
import Host
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Transports
import Workbench

/// Our host and Bumble's, in both roles, over controllers of ours, Bumble's and BlueZ's: they find each other, exchange
/// data, pair with every method and reconnect.
@Suite(.serialized, .enabled(if: Bumble.python != nil, "\(Bumble.isMissing)"))
struct BumbleHostTests {
    /// The implementation of the two hosts' controllers.
    enum Controllers { case ours, bumbles, btvirts }

    /// The pairing method, named as in bumble_peer.py; its host displays or enters a passkey.
    enum Method: String, CaseIterable {
        case justWorks = "just-works"
        case passkeyShown = "passkey-shown"
        case passkeyTyped = "passkey-typed"
        case numericComparison = "numeric-comparison"
        case legacyJustWorks = "legacy-just-works"
        case legacyPasskeyShown = "legacy-passkey-shown"
        case legacyPasskeyTyped = "legacy-passkey-typed"

        var isLegacy: Bool { rawValue.hasPrefix("legacy") }
        var isAuthenticated: Bool { !rawValue.hasSuffix("just-works") }

        /// Our side's settings for the method.
        var settings: PairingSettings {
            PairingSettings(ourCapability, needsMITMProtection: isAuthenticated, supportsSecureConnections: !isLegacy)
        }

        private var ourCapability: SMP.IOCapability {
            switch self {
            case .justWorks, .legacyJustWorks: .noInputNoOutput
            case .passkeyShown, .legacyPasskeyShown: .keyboardOnly
            case .passkeyTyped, .legacyPasskeyTyped: .displayOnly
            case .numericComparison: .displayYesNo
            }
        }
    }

    @Test(arguments: [Controllers.ours, .bumbles], Method.allCases)
    func weAreThePeripheral(controllers: Controllers, method: Method) async throws {
        try await bePeripheral(controllers, method)
    }

    @Test(arguments: [Controllers.ours, .bumbles], Method.allCases)
    func weAreTheCentral(controllers: Controllers, method: Method) async throws {
        try await beCentral(controllers, method)
    }

    /// btvirt's controllers accept one packet at a time.
    @Test(
        .enabled(if: Btvirt.whyNot == nil, "\(Btvirt.whyNot ?? "")"),
        arguments: [Method.justWorks, .legacyPasskeyShown])
    func oneBufferIsEnough(method: Method) async throws {
        try await bePeripheral(.btvirts, method)
        try await beCentral(.btvirts, method)
    }

    /// Sessions that only pair. `GATTBENCH_REWRITE_GOLDEN=1` writes their transcripts for the Host tests, which replay
    /// them without Bumble.
    @Test(arguments: [Role.peripheral, .central], Method.allCases)
    func wePair(as role: Role, method: Method) async throws {
        let meeting = try await Meeting(
            .ours, method, bumbleIs: role == .central ? "pairing-peripheral" : "pairing-central", seed: 7)
        var host = meeting.host
        switch role {
        case .peripheral: host.request(.advertise(Host.AdvertisingSettings(data: advertisement)))
        case .central:
            let peer = DeviceAddress(Address(value: 0xF000_0000_0002), .random)
            host.request(.connect(Host.ConnectSettings(peer)))
            guard case .connected(let handle, _)? = host.wait(for: { if case .connected = $0 { true } else { false } })
            else {
                Issue.record("no connection")
                return try await meeting.end(&host)
            }
            host.request(.secure(handle))
            _ = host.wait(meanwhile: meeting.help) {
                if case .paired = $0 { true } else { $0.isSecurityFailure }
            }
            host.request(.disconnect(handle, .remoteUserTerminatedConnection))
        }
        _ = host.wait(seconds: 60, meanwhile: meeting.help) {
            if case .disconnected = $0 { true } else { $0.isSecurityFailure }
        }
        let bonds = host.reported.compactMap { if case .paired(_, let bond) = $0 { bond } else { nil } }
        #expect(bonds.map(\.isAuthenticated) == [method.isAuthenticated])
        if Repository.isRewritten {
            let settings = method.settings
            let head = [
                "# Our host as \(role.rawValue) pairs with Bumble 0.0.236: \(method.rawValue).",
                "seed 7", "capability \(settings.ioCapability.rawValue)", "mitm \(settings.needsMITMProtection)",
                "secure-connections \(settings.supportsSecureConnections)", "authenticated \(method.isAuthenticated)",
            ]
            let text = (head + host.transcript).joined(separator: "\n") + "\n"
            let name = "Tests/HostTests/Security/Recordings/\(role.rawValue)-\(method.rawValue).txt"
            _ = try Repository.text(name, madeAs: text)
        }
        try await meeting.end(&host)
    }

    enum Role: String { case peripheral, central }

    /// A wrong passkey ends the pairing at both ends at once, without a time-out.
    @Test(arguments: [Method.passkeyTyped, .legacyPasskeyTyped])
    func wrongPasskeyEndsPairingAtBothEnds(method: Method) async throws {
        let meeting = try await Meeting(.ours, method, bumbleIs: "pairing-central", digits: { $0 ^ 1 })
        var host = meeting.host
        host.request(.advertise(Host.AdvertisingSettings(data: advertisement)))
        let failed = host.wait(seconds: 60, meanwhile: meeting.help) { $0.isSecurityFailure }
        guard case .pairingFailed(_, let failure)? = failed else {
            Issue.record("pairing did not fail: \(String(describing: failed))")
            return try await meeting.end(&host)
        }
        // The responder first checks the initiator's random number against its confirm value (Vol 3, Part H, 2.3.5.5).
        #expect(failure == .refused(.confirmValueFailed))
        let (status, output) = try await meeting.leave(&host)
        #expect(
            status == 1 && output.contains("PAIRING_FAILED") || output.contains("CONFIRM_VALUE_FAILED"), "\(output)")
    }

    private func bePeripheral(_ controllers: Controllers, _ method: Method) async throws {
        let meeting = try await Meeting(controllers, method, bumbleIs: "central")
        var host = meeting.host
        host.request(.advertise(Host.AdvertisingSettings(data: advertisement)))
        let connections = method.isLegacy ? 1 : 2
        var gone = 0
        let counter = try #require(host.host.server.database.attributes.first { $0.type == Example.counter }?.handle)
        let serve = { (host: inout LiveHost, event: Host.Event) in
            meeting.help(&host, event)
            guard case .server(.subscribed(counter, [.notifications], let connection)) = event else { return }
            for number in 0..<Example.notifications {
                host.request(.notify(counter, [UInt8(number), 0] + [UInt8](repeating: 0, count: 18), to: connection))
            }
        }
        _ = host.wait(seconds: 60, meanwhile: serve) {
            if case .disconnected = $0 { gone += 1 }
            return gone == connections || $0.isSecurityFailure
        }
        try await meeting.end(&host)
        let bond = host.reported.compactMap { if case .paired(_, let bond) = $0 { bond } else { nil } }.first
        #expect(bond?.isAuthenticated == method.isAuthenticated)
        #expect(bond?.isSecureConnections == !method.isLegacy)
    }

    private func beCentral(_ controllers: Controllers, _ method: Method) async throws {
        let meeting = try await Meeting(controllers, method, bumbleIs: "peripheral")
        var host = meeting.host
        var scan = Host.ScanSettings()
        scan.namePrefix = Example.name
        host.request(.scan(scan))
        let found = host.wait { if case .advertisement = $0 { true } else { false } }
        guard case .advertisement(let advertisement)? = found else {
            Issue.record("nobody advertises")
            return try await meeting.end(&host)
        }
        host.request(.stopScanning)
        for number in 0..<(method.isLegacy ? 1 : 2) {
            host.request(.connect(Host.ConnectSettings(advertisement.address)))
            guard case .connected(let handle, _)? = host.wait(for: { if case .connected = $0 { true } else { false } })
            else {
                Issue.record("no connection \(number)")
                break
            }
            guard case .success(.table(let table))? = host.client(handle, .discover) else {
                Issue.record("nothing was discovered")
                break
            }
            let secret = try #require(table.handle(of: Example.secret))
            if number == 0 {
                try exchange(&host, handle, table)
                let refused = host.client(handle, .read(secret))
                let reasons: [ATT.ErrorCode] = [.insufficientAuthentication, .insufficientEncryption]
                #expect(reasons.contains { refused == .failure(.refused($0, secret)) })
            }
            host.request(.secure(handle))
            let secured = host.wait(meanwhile: meeting.help) {
                switch $0 {
                case .paired: number == 0
                case .securityChanged: number == 1
                case .pairingFailed, .encryptionFailed: true
                default: false
                }
            }
            switch secured {
            case .paired(_, let bond):
                #expect(bond.isAuthenticated == method.isAuthenticated && bond.isSecureConnections == !method.isLegacy)
            case .securityChanged(_, let security): #expect(security.level > .open)
            default:
                Issue.record("not secured: \(String(describing: secured))")
                return try await meeting.end(&host)
            }
            let reported = host.client(handle, .read(secret))
            #expect(reported == .success(.value(Array("only for friends".utf8))))
            host.request(.disconnect(handle, .remoteUserTerminatedConnection))
            _ = host.wait { if case .disconnected = $0 { true } else { false } }
            // Bumble advertises again once it has processed the disconnection.
            _ = host.wait(seconds: 0.3) { _ in false }
        }
        try await meeting.end(&host)
    }

    private func exchange(_ host: inout LiveHost, _ handle: ConnectionHandle, _ table: GATT.Table) throws {
        let value = try #require(table.handle(of: Example.value))
        let first = host.client(handle, .read(value))
        #expect(first == .success(.value(Array("begin".utf8))))
        let long = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
        let written = host.client(handle, .write(value, long))
        #expect(written == .success(.written))
        let second = host.client(handle, .read(value))
        #expect(second == .success(.value(long)))
        let counter = try #require(table.handle(of: Example.counter))
        let subscribed = host.client(handle, .subscribe(counter, .notifications))
        #expect(subscribed == .success(.written))
        let last = UInt8(Example.notifications - 1)
        _ = host.wait { if case .client(_, .notified(counter, let value)) = $0 { value.first == last } else { false } }
        let numbers = host.reported.compactMap { event -> UInt8? in
            if case .client(_, .notified(counter, let value)) = event { value.first } else { nil }
        }
        #expect(numbers == (0..<Example.notifications).map { UInt8($0) })
    }

    /// Flags and the name that Bumble looks for.
    private let advertisement = GAP.AdvertisingData([
        .flags([.leGeneralDiscoverable, .bredrNotSupported]), .completeLocalName(Example.name),
    ]).encoded
}

/// The identifiers of bumble_ends.py.
private enum Example {
    static let service = UUID("5a3b0001-0d5f-4b6e-9f43-3e6a4c1d7f10")!
    static let value = UUID("5a3b0002-0d5f-4b6e-9f43-3e6a4c1d7f10")!
    static let counter = UUID("5a3b0003-0d5f-4b6e-9f43-3e6a4c1d7f10")!
    static let secret = UUID("5a3b0004-0d5f-4b6e-9f43-3e6a4c1d7f10")!
    static let name = "radio test"
    static let notifications = 100

    static func database() throws -> AttributeDatabase {
        try AttributeDatabase([
            .genericAccess(name: name), .genericAttribute,
            .init(
                service,
                [
                    .init(value, [.read, .write], value: Array("begin".utf8)),
                    .init(counter, .notify),
                    .init(secret, .read, value: Array("only for friends".utf8), read: .encrypted),
                ]),
        ])
    }
}

/// Our host and a Bumble script, attached to their controllers.
private final class Meeting {
    private let controllers: BumbleHostTests.Controllers
    private let script: Bumble.Script
    private let radio: RunningRadio?
    private let btvirt: Btvirt?
    private let folder: TemporaryFolder
    private let capture: String
    /// Our host, already started.
    private(set) var host: LiveHost
    /// The digits that Bumble's user types for the passkey that our side displays.
    private let digits: @Sendable (UInt32) -> UInt32

    init(
        _ controllers: BumbleHostTests.Controllers, _ method: BumbleHostTests.Method, bumbleIs role: String,
        seed: UInt64? = nil, digits: @escaping @Sendable (UInt32) -> UInt32 = { $0 }
    ) async throws {
        self.controllers = controllers
        self.digits = digits
        folder = try TemporaryFolder()
        capture = folder.path("meeting.btsnoop")
        var configuration = Host.Configuration()
        configuration.pairing = method.settings
        let ours = Host(
            configuration, database: try Example.database(), random: seed.map { .seeded($0) } ?? .system)
        switch controllers {
        case .ours:
            let running = try RunningRadio()
            radio = running
            btvirt = nil
            let own = try TransportSpec(running.clients[0])
            host = try LiveHost(ours, .tap(file: capture, own))
            script = try Bumble.start("bumble_peer.py", [running.clients[1], role, method.rawValue])
        case .btvirts:
            let running = try Btvirt()
            radio = nil
            btvirt = running
            host = try LiveHost(ours, .tap(file: capture, .unix(path: running.socket)))
            script = try Bumble.start("bumble_peer.py", ["unix:" + running.socket, role, method.rawValue])
        case .bumbles:
            radio = nil
            btvirt = nil
            host = try LiveHost(ours, .tap(file: capture, .tcpServer(host: nil, port: 0)))
            let link = host.link.replacing(/.*:/, with: "tcp-client:127.0.0.1:").replacing(")", with: "")
            script = try Bumble.start("bumble_peer.py", ["serve=" + link, role, method.rawValue])
            let isAttached = host.waitForPeer()
            #expect(isAttached)
        }
        let isUp = host.start()
        #expect(isUp)
    }

    /// Answers the prompts for the user on our side.
    func help(_ host: inout LiveHost, _ event: Host.Event) {
        guard case .pairingPrompt(let connection, let question) = event else { return }
        switch question {
        case .display(let number): script.type("\(digits(number))")
        case .enterPasskey: host.request(.answerPairing(connection, .passkey(123_456)))
        case .compare: host.request(.answerPairing(connection, .same))
        }
    }

    /// Disconnects from Bumble, and returns its exit status and output.
    func leave(_ host: inout LiveHost) async throws -> (status: Int32, output: String) {
        // A session that failed to pair or encrypt does not complete.
        if host.reported.contains(where: \.isSecurityFailure) {
            _ = host.wait(seconds: 1) { _ in false }
            script.stop()
        }
        let outcome = script.finish()
        host.close()
        try await radio?.end()
        btvirt?.end()
        return outcome
    }

    /// Bumble succeeds, tshark finds no malformed packet in the traffic, and no rule fails.
    func end(_ host: inout LiveHost) async throws {
        let (status, output) = try await leave(&host)
        #expect(status == 0, "\(output)")
        if Tshark.path != nil {
            // Bumble's controllers answer Set Data Length with only a status, which tshark reports as malformed.
            let concerned = controllers != .bumbles ? "_ws.malformed" : "_ws.malformed && hci_h4.direction == 0"
            #expect(try Tshark.run(["-r", capture, "-Y", concerned]).isEmpty)
        }
        let report = try await CheckJob().run(CaptureReader(path: capture)) { _ in true }.report
        var broken = Set(
            report.results.filter { $0.verdict == .fail }.map { report.rules[$0.rule].id })
        // They also repeat the advertising data in scan responses, flags included.
        if controllers == .bumbles { broken.remove("CORE-ADV-06") }
        #expect(broken.isEmpty)
    }
}

extension Host.Event {
    /// Whether pairing or encryption has failed.
    fileprivate var isSecurityFailure: Bool {
        switch self {
        case .pairingFailed, .encryptionFailed: true
        default: false
        }
    }
}

extension GATT.Table {
    /// Value handle of the only characteristic with a type.
    fileprivate func handle(of type: UUID) -> Handle? { characteristics.first { $0.type == type }?.value }
}
