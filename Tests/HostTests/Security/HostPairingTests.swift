import Bluetooth
import BluetoothCrypto
import Host
import Testing

/// Two hosts, the second of which has the attributes of the example.
func makePair(
    _ central: PairingSettings = PairingSettings(), _ peripheral: PairingSettings = PairingSettings(),
    addressing: Host.Configuration.Addressing = .random(nil)
) -> HostPair {
    var one = Host.Configuration()
    one.pairing = central
    one.addressing = addressing
    var other = Host.Configuration()
    other.pairing = peripheral
    other.addressing = addressing
    return HostPair(
        Host(one, random: .seeded(1)), Host(other, database: .example, random: .seeded(2)))
}

extension HostPair {
    /// The users answer their prompts, each with the digits displayed to the other one.
    mutating func answerQuestions(typing wrong: UInt32? = nil) {
        var digits: UInt32 = 123_456
        for index in 0...1 {
            for case .pairingPrompt(_, .display(let shown)) in events[index] { digits = shown }
        }
        for index in 0...1 {
            for case .pairingPrompt(let handle, let question) in events[index] {
                switch question {
                case .display: break
                case .enterPasskey: request(index, .answerPairing(handle, .passkey(wrong ?? digits)))
                case .compare: request(index, .answerPairing(handle, wrong == nil ? .same : .no))
                }
            }
        }
    }

    /// The bond that a host reported last.
    func bond(_ index: Int) -> Bond? {
        events[index].reversed().lazy.compactMap { if case .paired(_, let bond) = $0 { bond } else { nil } }.first
    }

    func failures(_ index: Int) -> [Pairing.Failure] {
        events[index].compactMap { if case .pairingFailed(_, let failure) = $0 { failure } else { nil } }
    }
}

/// Every pair of IO capabilities, with both kinds of pairing, initiated by either side.
@Test(arguments: [true, false], [true, false])
func hostsPairWithAllCapabilities(isSecureConnections: Bool, isBegunByCentral: Bool) throws {
    for central in UInt8(0)...4 {
        for peripheral in UInt8(0)...4 {
            var one = PairingSettings(SMP.IOCapability(rawValue: central))
            one.supportsSecureConnections = isSecureConnections
            var other = PairingSettings(SMP.IOCapability(rawValue: peripheral))
            let method = PairingMethod(
                initiator: features(central), responder: features(peripheral),
                isSecureConnections: isSecureConnections)
            one.needsMITMProtection = method.isAuthenticated
            other.needsMITMProtection = method.isAuthenticated
            var pair = makePair(one, other)
            pair.connect()
            if isBegunByCentral {
                pair.request(0, .secure(pair.handles[0]))
            } else {
                pair.request(1, .secure(pair.handles[1]))
                let handle = pair.handles[0]
                #expect(pair.events[0].contains { if case .securityRequested(handle, _) = $0 { true } else { false } })
                pair.request(0, .secure(handle))
            }
            pair.answerQuestions()
            let bonds = [try #require(pair.bond(0)), try #require(pair.bond(1))]
            #expect(bonds.map(\.isAuthenticated) == [method.isAuthenticated, method.isAuthenticated])
            #expect(bonds.map(\.isSecureConnections) == [isSecureConnections, isSecureConnections])
            #expect(bonds[0].peerKey == bonds[1].ownKey)
            #expect(bonds[0].ownKey == bonds[1].peerKey)
            #expect(bonds.map(\.peer) == [pair.address(of: 1), pair.address(of: 0)])
            let level: SecurityLevel = method.isAuthenticated ? .authenticated : .encrypted
            #expect(pair.hosts[0].security(of: pair.handles[0])?.level == level)
            #expect(pair.hosts[1].security(of: pair.handles[1])?.level == level)
        }
    }
}

private func features(_ capability: UInt8) -> SMP.PairingFeatures {
    SMP.PairingFeatures(
        ioCapability: SMP.IOCapability(rawValue: capability),
        requirements: .init(isBonding: true, needsMITMProtection: true), initiatorKeys: .init(), responderKeys: .init())
}

@Test(arguments: [true, false])
func wrongDigitsAreNoticed(isSecureConnections: Bool) {
    let typed = PairingSettings(
        .keyboardOnly, needsMITMProtection: true, supportsSecureConnections: isSecureConnections)
    var pair = makePair(typed, PairingSettings(.displayOnly))
    pair.connect()
    pair.request(0, .pair(pair.handles[0]))
    var shown: UInt32 = 0
    for case .pairingPrompt(_, .display(let digits)) in pair.events[1] { shown = digits }
    pair.answerQuestions(typing: shown ^ 1)
    #expect(pair.bond(0) == nil && pair.bond(1) == nil)
    #expect(pair.failures(0).count == 1 && pair.failures(1).count == 1)
    #expect(pair.hosts[0].security(of: pair.handles[0])?.level == .open)
}

@Test func usersMayFindTheNumbersToDiffer() {
    let settings = PairingSettings(.displayYesNo, needsMITMProtection: true)
    var pair = makePair(settings, settings)
    pair.connect()
    pair.request(0, .pair(pair.handles[0]))
    let numbers = [0, 1].map { index in
        pair.events[index].compactMap { event -> UInt32? in
            if case .pairingPrompt(_, .compare(let number)) = event { number } else { nil }
        }
    }
    #expect(numbers[0].count == 1)
    #expect(numbers[0] == numbers[1])
    pair.request(1, .answerPairing(pair.handles[1], .no))
    #expect(pair.failures(1) == [.refused(.numericComparisonFailed)])
    #expect(pair.failures(0) == [.refusedByPeer(.numericComparisonFailed)])
}

@Test(arguments: [true, false])
func bondedHostsEncryptWithoutPairing(isSecureConnections: Bool) {
    var settings = PairingSettings()
    settings.supportsSecureConnections = isSecureConnections
    var pair = makePair(settings)
    pair.connect()
    pair.request(0, .secure(pair.handles[0]))
    pair.request(0, .client(pair.handles[0], .discover, id: 1))
    pair.request(0, .client(pair.handles[0], .subscribe(0x12, .notifications), id: 2))
    pair.request(0, .disconnect(pair.handles[0], .remoteUserTerminatedConnection))
    pair.events = [[], []]
    pair.reconnect()
    #expect(pair.hosts[1].server.subscription(of: pair.handles[1], to: 0x12) == [])
    pair.request(0, .secure(pair.handles[0]))
    #expect(pair.bond(0) == nil)
    #expect(pair.hosts[0].security(of: pair.handles[0])?.level == .encrypted)
    #expect(pair.hosts[1].security(of: pair.handles[1])?.level == .encrypted)
    // The bond restored the subscription and the attribute table.
    pair.request(1, .notify(0x12, [0x21]))
    #expect(pair.events[0].contains(.client(pair.handles[0], .notified(0x12, [0x21]))))
    #expect(pair.hosts[0].client(of: pair.handles[0])?.table.services.count == 4)
}

/// The bonds of one run apply in the next.
@Test func bondsCanBeStored() throws {
    var pair = makePair()
    pair.connect()
    pair.request(0, .secure(pair.handles[0]))
    var one = Host.Configuration()
    one.addressing = .random(pair.address(of: 0).address)
    var other = Host.Configuration()
    other.addressing = .random(pair.address(of: 1).address)
    var later = HostPair(
        Host(one, bonds: BondStore(pair.hosts[0].bonds.all), random: .seeded(7)),
        Host(other, database: .example, bonds: BondStore(pair.hosts[1].bonds.all), random: .seeded(8)))
    later.connect()
    later.request(0, .secure(later.handles[0]))
    #expect(later.bond(0) == nil)
    #expect(later.hosts[0].security(of: later.handles[0])?.level == .encrypted)
}

@Test func bondThatThePeerHasLostIsToldAndMadeAnew() {
    var pair = makePair()
    pair.connect()
    pair.request(0, .secure(pair.handles[0]))
    pair.request(1, .deleteBond(pair.address(of: 0)))
    pair.request(0, .disconnect(pair.handles[0], .remoteUserTerminatedConnection))
    pair.events = [[], []]
    pair.reconnect()
    pair.request(0, .secure(pair.handles[0]))
    #expect(pair.events[0].contains(.encryptionFailed(pair.handles[0], .pinOrKeyMissing)))
    pair.request(0, .pair(pair.handles[0]))
    #expect(pair.bond(0) != nil && pair.bond(1) != nil)
    #expect(pair.hosts[1].security(of: pair.handles[1])?.level == .encrypted)
}

/// The bond identifies a device that changes its address.
@Test func privateAddressesAreResolvedByBonds() throws {
    var pair = makePair(addressing: .resolvablePrivate(nil))
    pair.connect()
    let first = pair.address(of: 1)
    #expect(first.address.randomKind == .resolvablePrivate)
    pair.request(0, .secure(pair.handles[0]))
    let identity = try #require(pair.bond(0)?.peer)
    #expect(identity.address.randomKind == .static)
    pair.request(0, .disconnect(pair.handles[0], .remoteUserTerminatedConnection))
    pair.wait(1000)
    let second = pair.address(of: 1)
    #expect(second != first)
    pair.events = [[], []]
    var scan = Host.ScanSettings()
    scan.devices = [identity]
    pair.request(0, .scan(scan))
    let heard = pair.events[0].compactMap { event -> Host.Advertisement? in
        if case .advertisement(let advertisement) = event { advertisement } else { nil }
    }
    #expect(heard.map(\.address) == [second])
    #expect(heard.map(\.identity) == [identity])
    pair.request(0, .stopScanning)
    pair.reconnect()
    pair.request(0, .secure(pair.handles[0]))
    #expect(pair.bond(0) == nil)
    #expect(pair.hosts[0].security(of: pair.handles[0])?.level == .encrypted)
}

@Test func attributesOpenUpWithThePairing() {
    var pair = makePair()
    pair.connect()
    pair.request(0, .client(pair.handles[0], .read(0x2A), id: 1))
    #expect(
        pair.events[0].last
            == .client(pair.handles[0], .finished(id: 1, .failure(.refused(.insufficientAuthentication, 0x2A)))))
    pair.request(0, .secure(pair.handles[0]))
    pair.request(0, .client(pair.handles[0], .read(0x2A), id: 2))
    #expect(pair.events[0].last == .client(pair.handles[0], .finished(id: 2, .success(.value([0x04])))))
}

@Test func keysAreNotInWhatIsTold() throws {
    var pair = makePair()
    pair.connect()
    pair.request(0, .secure(pair.handles[0]))
    let key = try #require(pair.bond(0)?.peerKey?.key.value)
    let text = "\(pair.events) \(pair.hosts[0].bonds)"
    #expect(!text.contains("\(key)"))
    #expect(text.contains("(secret)"))
}

/// Each side distributes the keys agreed on (Vol 3, Part H, 3.6.1), in this case only the peripheral.
@Test func aKeyOfOneSideMakesABond() throws {
    var settings = PairingSettings(.noInputNoOutput)
    settings.supportsSecureConnections = false
    settings.initiatorKeys = SMP.KeyDistribution()
    var pair = makePair(settings, settings)
    pair.connect()
    pair.request(0, .pair(pair.handles[0]))
    let bonds = [try #require(pair.bond(0)), try #require(pair.bond(1))]
    #expect(bonds[0].peerKey != nil && bonds[0].peerKey == bonds[1].ownKey)
    #expect(bonds[0].ownKey == nil && bonds[1].peerKey == nil)
    #expect(pair.hosts[0].bonds.all.count == 1 && pair.hosts[1].bonds.all.count == 1)
}

/// Controllers report that encryption has ended (Vol 4, Part E, 7.7.8): both hosts report it, and the server refuses
/// access that needs encryption until the bond has encrypted the connection again.
@Test func encryptionThatEndsInTheMiddleIsNoticed() throws {
    var pair = makePair()
    pair.connect()
    pair.request(0, .secure(pair.handles[0]))
    let secret = try #require(pair.hosts[1].server.database.attributes.first { $0.type == 0xFF04 }?.handle)
    func read(_ id: UInt64) -> [UInt8]? {
        pair.request(0, .client(pair.handles[0], .read(secret), id: id))
        guard case .client(_, .finished(id: id, .success(.value(let value)))) = pair.events[0].last else { return nil }
        return value
    }
    #expect(read(1) == [0x04])
    pair.endEncryption()
    for index in 0...1 {
        let levels = pair.events[index].compactMap { event in
            if case .securityChanged(_, let security) = event { security.level } else { nil }
        }
        #expect(levels.count == 2 && levels.last == .open)
    }
    #expect(read(2) == nil)
    pair.request(0, .secure(pair.handles[0]))
    #expect(read(3) == [0x04])
}
