import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Keys
import PDUTestKit
import PluginKit
import TestKit
import Testing

@testable import Conversation

/// Decryption of connections on the air, with real AES-CCM.
struct LinkDecryptionTests {
    /// The Long Term Key of the specification's sample data (Vol 6, Part C, 1).
    private static let longTermKey = SecretKey(number("4C68384139F574D836BCF34E9DFB01BF"))
    private static let otherKey = SecretKey(number("00112233445566778899AABBCCDDEEFF"))
    private static let key = KnownKey(.longTerm(longTermKey), origin: .given)

    private let air = AirSession()

    private func story(_ keys: [KnownKey] = [Self.key]) -> Story { Story(air.recording, keys: keys) }

    /// An encrypted connection; the phone has connected to the puck.
    private func encryptedLink() -> AirLink {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.encrypt(with: Self.longTermKey)
        return link
    }

    /// Frames of data and control PDUs that are encrypted, opened or not.
    private func sealed(_ story: Story) -> [FrameMetadata] {
        story.metadata.filter { !$0.notes.isDisjoint(with: [.encrypted, .decrypted]) }
    }

    /// Checks the counts of a story: encrypted PDUs, and those that stay closed by reason.
    private func check(
        _ story: Story, encrypted: Int, _ closed: [ClosedReason: Int] = [:],
        _ location: SourceLocation = #_sourceLocation
    ) {
        let summary = story.tracker.decryption
        #expect(summary.encrypted == encrypted, sourceLocation: location)
        #expect(summary.decrypted == encrypted - closed.values.reduce(0, +), sourceLocation: location)
        let reasons = Dictionary(uniqueKeysWithValues: summary.undecrypted.map { ($0.reason, $0.packets) })
        #expect(reasons == closed, sourceLocation: location)
    }

    // MARK: - The whole connection

    @Test func everyPDUIsOpened() {
        let link = encryptedLink()
        link.notify(0x0006, [98])
        link.write(0x0007, [1, 0])
        link.control(LL.PingReq(), .sent)
        let story = story()
        // Both LL_START_ENC_RSP, a notification, a request with its response, LL_PING_REQ.
        check(story, encrypted: 6)
        #expect(story.attributes.map(\.handle) == [0x0006, 0x0007, 0x0007])
        #expect(sealed(story).allSatisfy { $0.notes.contains(.decrypted) && $0.closed == nil && $0.plain.isPresent })
        let session = story.tracker.decryption.sessions
        #expect(session.map(\.key) == [.ltk])
        #expect(session.map(\.origin) == [.given])
        #expect(session.map(\.decrypted) == [6])
    }

    @Test func thePlainTextIsTheValueThatWasSent() throws {
        let link = encryptedLink()
        link.notify(0x0006, [98, 99])
        let story = story()
        let last = try #require(story.metadata.last)
        let value = try #require(story.batch.value(of: last))
        #expect(Array(story.batch.bytes(of: value)) == [98, 99])
    }

    @Test func fragmentsOfALongPDUArePutTogether() throws {
        let link = encryptedLink()
        link.mtu = 247
        link.notify(0x0006, Array(0..<200))
        let story = story()
        let last = try #require(story.metadata.last)
        #expect(last.pdu.count == 207)
        #expect(!last.isPDUDecrypted)
        #expect(story.attributes.count == 1)
        check(story, encrypted: 10)
    }

    @Test func payloadsOf251BytesAreOpened() throws {
        let link = encryptedLink()
        link.mtu = 247
        link.fragmentation = .whole
        link.notify(0x0006, [UInt8](repeating: 0xA5, count: 244))
        let story = story()
        let last = try #require(story.metadata.last)
        #expect(last.isPDUDecrypted)
        #expect(last.plain.count == 251)
        #expect(story.batch.value(of: last).map { Array(story.batch.bytes(of: $0)) }?.count == 244)
    }

    @Test func aRetransmissionIsOpenedOnce() {
        let link = encryptedLink()
        link.fate = .missed
        link.notify(0x0006, [98])
        link.notify(0x0006, [97])
        let story = story()
        check(story, encrypted: 4)
        let repeated = story.metadata.filter { $0.notes.contains(.retransmission) && $0.kind == .data }
        #expect(repeated.count == 1)
        #expect(repeated.allSatisfy { $0.plain.isPresent && !$0.pdu.isPresent })
        #expect(story.attributes.count == 2)
    }

    @Test func constantSequenceNumbersHideNothing() {
        let link = encryptedLink()
        for value in 0..<20 as Range<UInt8> { link.notify(0x0006, [value / 2]) }
        // SN and NESN are 0 in every packet after LL_START_ENC_RSP; equal values follow each other.
        for index in air.recording.packets.indices.dropFirst(8) { air.recording.packets[index].bytes[14] &= ~0x0C }
        let story = story()
        #expect(story.attributes.count == 20)
        check(story, encrypted: 22)
    }

    @Test func aControlPDUChangesTheParameters() {
        let link = encryptedLink()
        link.control(
            LL.ConnectionUpdateInd(
                windowSize: 2, windowOffset: 0, interval: 80, latency: 4, timeout: 500, instant: 100), .sent)
        let parameters = story().tracker.connections[0].parameters.timing
        #expect(parameters?.interval == 80)
        #expect(parameters?.latency == 4)
    }

    // MARK: - Keys

    @Test func withoutAKeyNothingIsOpened() {
        encryptedLink().notify(0x0006, [98])
        let story = story([])
        check(story, encrypted: 3, [.noKey: 3])
        #expect(story.attributes.isEmpty)
        #expect(sealed(story).allSatisfy { $0.closed == .noKey && !$0.plain.isPresent })
    }

    @Test func aWrongKeyOpensNothing() {
        let link = encryptedLink()
        for _ in 0..<8 { link.notify(0x0006, [98]) }
        let story = story([KnownKey(.longTerm(Self.otherKey), origin: .given)])
        check(story, encrypted: 10, [.noKeyFits: 10])
        #expect(story.attributes.isEmpty)
        #expect(story.batch.reassembly.bytes.isEmpty)
        #expect(story.tracker.decryption.sessions.isEmpty)
    }

    @Test func aKeyOfAnotherKindIsNoKey() {
        encryptedLink().notify(0x0006, [98])
        check(story([KnownKey(.identityResolving(Self.longTermKey), origin: .given)]), encrypted: 3, [.noKey: 3])
    }

    @Test func theRightOneOfManyKeysOpens() {
        encryptedLink().notify(0x0006, [98])
        let wrong = (1...20 as ClosedRange<UInt128>).map { KnownKey(.longTerm(SecretKey($0)), origin: .given) }
        let story = story(wrong + [Self.key])
        check(story, encrypted: 3)
    }

    @Test func bytesInTheWrongOrderAreTriedAsWell() {
        encryptedLink().notify(0x0006, [98])
        let story = story([KnownKey(.longTerm(SecretKey(Self.longTermKey.value.byteSwapped)), origin: .given)])
        check(story, encrypted: 3)
        #expect(story.tracker.decryption.sessions.map(\.isReversed) == [true])
    }

    @Test func aShortTermKeyOpensASession() {
        encryptedLink().notify(0x0006, [98])
        let story = story([KnownKey(.shortTerm(Self.longTermKey), origin: .pairing(frame: 1, "Just Works"))])
        check(story, encrypted: 3)
        #expect(story.tracker.decryption.sessions.map(\.key) == [.stk])
    }

    // MARK: - Starts

    @Test func theSessionMayBeGiven() {
        let link = encryptedLink()
        for _ in 0..<40 { link.notify(0x0006, [98]) }
        let start = air.recording.packets.count
        link.notify(0x0006, [97])
        link.write(0x0007, [1, 0])
        air.recording.packets.removeFirst(start)
        let session = SecretKey(number("99AD1B5226A37E3E058E3B8E27C2C666"))
        let story = story([KnownKey(.session(session, vector: 0xDEAF_BABE_BADC_AB24), origin: .given)])
        check(story, encrypted: 3)
        #expect(story.attributes.count == 3)
        #expect(story.tracker.decryption.sessions.map(\.key) == [.session])
    }

    @Test func withoutItsStartASessionStaysClosed() {
        let link = air.resume()
        link.cipher = AirCipher(AirLink.SessionValues().encryption(Self.longTermKey))
        link.isEncrypted = true
        for _ in 0..<4 { link.notify(0x0006, [98]) }
        check(story(), encrypted: 4, [.sessionNotHeard: 4])
    }

    @Test(arguments: [LL.ControlOpcode.startEncReq, .encRsp])
    func aPDUOfTheStartMayBeMissing(_ opcode: LL.ControlOpcode) {
        let link = encryptedLink()
        for _ in 0..<4 { link.notify(0x0006, [98]) }
        // Pseudo-header, access address and header take up 16 bytes.
        air.recording.packets.removeAll { $0.bytes[14] & 3 == 3 && $0.bytes[16] == opcode.rawValue }
        let story = story()
        if opcode == .encRsp {
            #expect(story.tracker.decryption.decrypted == 0)
            #expect(story.tracker.decryption.undecrypted.map(\.reason) == [.sessionNotHeard])
        } else {
            check(story, encrypted: 6)
        }
    }

    @Test func encryptionIsPausedAndStartedAgain() {
        let link = encryptedLink()
        link.notify(0x0006, [98])
        link.pauseEncryption()
        link.notify(0x0006, [97])
        var values = AirLink.SessionValues()
        values.random = 0
        values.encryptedDiversifier = 0
        values.centralDiversifier ^= 0xFF
        link.encrypt(with: Self.otherKey, values)
        link.notify(0x0006, [96])
        let story = story([Self.key, KnownKey(.longTerm(Self.otherKey), origin: .file("keys.txt"))])
        // Three PDUs and the pause's two, three after the refresh.
        check(story, encrypted: 8)
        #expect(story.attributes.count == 3)
        #expect(story.tracker.decryption.sessions.map(\.decrypted) == [5, 3])
        #expect(story.tracker.decryption.sessions.map(\.origin) == [.given, .file("keys.txt")])
    }

    // MARK: - Gaps

    @Test(arguments: [1, 3, 10, 30])
    func lostPacketsCostOnlyThemselves(percent: Int) {
        let link = encryptedLink()
        let start = air.recording.packets.count
        for value in 0..<100 as Range<UInt8> {
            link.notify(0x0006, [value])
            link.write(0x0007, [value, 0])
        }
        var state: UInt64 = 0x1234
        let kept = air.recording.packets.dropFirst(start).filter { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33 % 100 >= percent
        }
        air.recording.packets.replaceSubrange(start..., with: kept)
        let withMIC = kept.filter { $0.bytes[15] > 0 }.count
        check(story(), encrypted: 2 + withMIC)
    }

    @Test(arguments: [1, 9, 100, 2000, 66_000])
    func thePacketCounterIsFoundAfterAGap(lost: Int) {
        let link = encryptedLink()
        link.notify(0x0006, [1])
        link.write(0x0007, [1, 0])
        link.cipher?.counters[.sent, default: 0] += UInt64(lost)
        link.cipher?.counters[.received, default: 0] += UInt64(lost)
        link.notify(0x0006, [2])
        link.write(0x0007, [2, 0])
        link.notify(0x0006, [3])
        let story = story()
        // The plain text of the first PDU after the gap is well formed: that confirms the counter.
        check(story, encrypted: 9)
        #expect(story.attributes.count == 7)
        #expect(story.metadata.contains { $0.notes.contains(.missed) })
    }

    /// The payload of a continuation proves nothing: a counter far away holds only if the next PDU confirms it.
    @Test func aCounterFarAwayMustBeConfirmed() {
        let link = encryptedLink()
        link.cipher?.counters[.received, default: 0] += 20_000
        link.fragmentation = .every(10)
        link.mtu = 100
        link.notify(0x0006, Array(0..<30))
        let parts = air.recording.packets.count
        // The start of the PDU is lost.
        air.recording.packets.removeAll { $0.bytes[14] & 3 == 2 }
        #expect(air.recording.packets.count == parts - 1)
        let story = story()
        check(story, encrypted: 5, [.unconfirmed: 1])
        #expect(sealed(story).map(\.closed).filter { $0 != nil } == [.unconfirmed])
    }

    @Test func afterThreeSearchesTheSessionStaysClosed() {
        let link = encryptedLink()
        link.notify(0x0006, [1])
        link.cipher?.counters[.received, default: 0] += 100_000
        for value in 0..<6 as Range<UInt8> { link.notify(0x0006, [value]) }
        check(story(), encrypted: 9, [.counterLost: 6])
        // The next session is opened.
        link.pauseEncryption()
        var values = AirLink.SessionValues()
        values.centralDiversifier ^= 1
        link.encrypt(with: Self.longTermKey, values)
        link.notify(0x0006, [9])
        #expect(story().tracker.decryption.sessions.map(\.decrypted).last == 3)
    }

    /// A central whose values are not random: the packet counters begin anew all the same.
    @Test func aRefreshWithTheSameValuesIsAnotherSession() {
        let link = encryptedLink()
        for value in 0..<20 as Range<UInt8> { link.notify(0x0006, [value]) }
        link.pauseEncryption()
        link.encrypt(with: Self.longTermKey)
        link.notify(0x0006, [96])
        let story = story()
        check(story, encrypted: 27)
        #expect(story.tracker.decryption.sessions.map(\.decrypted) == [24, 3])
    }

    @Test func searchingEndsWithItsBudget() {
        var budget = SearchBudget()
        let initial = budget.rest
        let spent = [budget.spend(initial), budget.spend(1)]
        #expect(spent == [true, false])
        budget.frame = 10
        #expect((1..<initial).contains(budget.rest))
    }

    // MARK: - Directions

    @Test(arguments: [0, 1])
    func wrongAndUnknownDirectionsAreCorrected(_ case: Int) {
        let link = encryptedLink()
        let start = air.recording.packets.count
        link.notify(0x0006, [98])
        link.write(0x0007, [1, 0])
        link.notify(0x0006, [97])
        // The PDU type of the pseudo-header, in bits 7 to 9 of the flags: 2 from the central, 3 from the peripheral.
        for index in air.recording.packets.indices.dropFirst(start) {
            if `case` == 0 {
                air.recording.packets[index].bytes[8] ^= 0x80
            } else {
                air.recording.packets[index].bytes[8] &= ~0x80
                air.recording.packets[index].bytes[9] &= ~0x03
            }
        }
        let story = story()
        check(story, encrypted: 6)
        let attributes = story.metadata.filter { $0.attribute != nil }
        #expect(attributes.map(\.direction) == [.received, .sent, .received, .received])
        #expect(attributes.map(\.sender).first == attributes.map(\.receiver).dropFirst().first)
    }

    // MARK: - Recorders

    @Test func whatTheRecorderHasDecryptedIsNotCounted() {
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.decryption = .flagged
        link.encrypt(with: Self.longTermKey)
        link.notify(0x0006, [97])
        let story = story()
        #expect(story.tracker.decryption.isEmpty)
        #expect(story.attributes.count == 1)
    }

    @Test func damagedPacketsAreCountedApart() {
        let link = encryptedLink()
        link.fate = .damaged
        link.notify(0x0006, [98])
        let story = story()
        check(story, encrypted: 3)
        #expect(story.tracker.decryption.badCRC == 1)
    }

    @Test func aCutPDUStaysClosed() {
        let link = encryptedLink()
        link.notify(0x0006, [98])
        air.recording.cutLast(to: 20)
        link.notify(0x0006, [97])
        check(story(), encrypted: 4, [.unsupported: 1])
    }
}

/// Keys that the tracker finds in a capture; what pairings and commands contain is tested in KeysTests.
struct FoundKeyTests {
    private static let longTermKey: UInt128 = 0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF

    @Test func aKeyFromTheHostOpensTheAirOfTheSameCapture() {
        var tracker = Tracker()
        let session = HCISession()
        session.command(
            HCI.LEEnableEncryption(
                handle: ConnectionHandle(0x0040), randomNumber: [UInt8](repeating: 0, count: 8),
                encryptedDiversifier: 0,
                longTermKey: (0..<16).map { UInt8(truncatingIfNeeded: Self.longTermKey >> (8 * UInt128($0))) }))
        _ = tracker.track(session.recording.batch)
        #expect(tracker.keys.keys.map(\.kind) == [.ltk])
        let air = AirSession()
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.encrypt(with: SecretKey(Self.longTermKey))
        link.notify(0x0006, [98])
        _ = tracker.track(air.recording.batch)
        #expect(tracker.decryption.decrypted == 3)
        #expect(tracker.decryption.sessions.map(\.origin) == [.frame(1, "LE Enable Encryption")])
    }

    @Test func aKeyThatIsDistributedOpensTheNextConnection() {
        let air = AirSession()
        let link = air.connect(Cast.phone, to: Cast.puck)
        link.encrypt(with: SecretKey(1))
        link.security(SMP.EncryptionInformation(longTermKey: Self.longTermKey), .received)
        link.security(
            SMP.CentralIdentification(ediv: 0x2474, random: 0xABCD_EF12_3456_7890), .received)
        link.disconnect()
        let next = air.connect(Cast.phone, to: Cast.puck, accessAddress: 0x5121_4A97)
        next.encrypt(with: SecretKey(Self.longTermKey))
        next.notify(0x0006, [98])
        let story = Story(air.recording, keys: [KnownKey(.shortTerm(SecretKey(1)), origin: .given)])
        #expect(story.tracker.decryption.undecrypted.isEmpty)
        #expect(story.tracker.decryption.sessions.map(\.key) == [.stk, .ltk])
        #expect(story.attributes.count == 1)
    }
}
