import Bluetooth
import BluetoothCrypto
import Keys
import PDUTestKit
import Testing

extension PairingTranscript {
    /// The keys that an observer finds, line by line.
    func keys(
        of lines: [Line]? = nil, ring: KeyRing = KeyRing(), isCracking: Bool = false, isReversed: Bool = false
    ) -> [KnownKey] {
        var observer = PairingObserver()
        var ring = ring
        ring.isCracking = isCracking
        return keys(of: lines ?? self.lines, ring: ring, isReversed: isReversed, by: &observer)
    }

    func keys(
        of lines: [Line], ring: KeyRing = KeyRing(), isReversed: Bool = false, by observer: inout PairingObserver
    ) -> [KnownKey] {
        var budget = PairingBudget()
        return keys(of: lines, ring: ring, isReversed: isReversed, by: &observer, &budget)
    }

    func keys(
        of lines: [Line], ring: KeyRing = KeyRing(), isReversed: Bool = false, by observer: inout PairingObserver,
        _ budget: inout PairingBudget
    ) -> [KnownKey] {
        lines.enumerated().flatMap { index, line in
            observer.observe(
                line.command, fromInitiator: line.fromInitiator != isReversed, initiator: Self.initiator,
                responder: Self.responder, frame: index + 1, ring: ring, &budget)
        }
    }

    /// The lines without the commands with this code from one side.
    func without(_ opcode: SMP.Opcode, fromInitiator: Bool) -> [Line] {
        lines.filter { $0.command[0] != opcode.rawValue || $0.fromInitiator != fromInitiator }
    }
}

/// The key of a connection, with the text of its origin.
private func key(_ value: KnownKey.Value, _ text: String, frame: Int) -> KnownKey {
    KnownKey(value, address: PairingTranscript.responder.address, origin: .pairing(frame: frame, text))
}

private func ring(_ values: KnownKey.Value...) -> KeyRing {
    KeyRing(values.map { KnownKey($0, origin: .given) })
}

/// Keys that follow from what a listener hears of a legacy pairing.
struct LegacyPairingObserverTests {
    private let justWorks = PairingTranscript.justWorks
    private let passkey = PairingTranscript.passkeyEntry
    private let outOfBand = PairingTranscript.legacyOutOfBand

    @Test func justWorksNeedsNoKey() {
        #expect(justWorks.keys() == [key(.shortTerm(justWorks.key), "Just Works", frame: 6)])
    }

    /// Passkey 31337, cut to the smaller of both key sizes, 10 bytes.
    @Test func aGivenPasskeyYieldsTheKey() {
        let expected = [
            key(.shortTerm(passkey.key), "passkey", frame: 6), key(.passkey(31337), "passkey", frame: 6),
        ]
        #expect(passkey.keys(ring: ring(.passkey(1), .passkey(31337))) == expected)
        #expect(passkey.keys(isCracking: true) == expected)
    }

    @Test func aWrongPasskeyOrNoneYieldsNoKey() {
        #expect(passkey.keys() == [])
        #expect(passkey.keys(ring: ring(.passkey(31338), .temporary(SecretKey(5)))) == [])
    }

    @Test func aGivenTemporaryKeyYieldsTheKey() {
        let temporary = SecretKey(0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF)
        #expect(
            outOfBand.keys(ring: ring(.temporary(temporary)))
                == [key(.shortTerm(outOfBand.key), "Temporary Key", frame: 6)])
        // Out-of-band keys have 128 bits: nothing is searched.
        #expect(outOfBand.keys(isCracking: true) == [])
    }

    /// Peripheral latency and other recorders double commands (each is heard twice in a row).
    @Test func doubledCommandsChangeNothing() {
        let doubled = justWorks.lines.flatMap { [$0, $0] }
        #expect(justWorks.keys(of: doubled).map(\.value) == [.shortTerm(justWorks.key)])
    }

    /// What one confirm value proves is not proved of the other side's random number.
    @Test(arguments: [true, false])
    func aLostConfirmValueIsSaid(fromInitiator: Bool) {
        let lines = justWorks.without(.pairingConfirm, fromInitiator: fromInitiator)
        #expect(
            justWorks.keys(of: lines) == [key(.shortTerm(justWorks.key), "Just Works, not confirmed", frame: 5)])
    }

    @Test(arguments: [SMP.Opcode.pairingRequest, .pairingResponse, .pairingRandom])
    func aLostCommandOfTheComputationYieldsNoKey(opcode: SMP.Opcode) {
        let isRequest = opcode != .pairingResponse
        #expect(justWorks.keys(of: justWorks.without(opcode, fromInitiator: isRequest)) == [])
    }

    @Test func confirmValuesMayComeInEitherOrder() {
        var lines = justWorks.lines
        lines.swapAt(2, 3)
        lines.swapAt(4, 5)
        #expect(justWorks.keys(of: lines) == [key(.shortTerm(justWorks.key), "Just Works", frame: 6)])
    }

    @Test func aResponseThatIsHeardLateYieldsTheKeyOnce() {
        let response = justWorks.lines[1]
        let late = justWorks.without(.pairingResponse, fromInitiator: false) + [response, response]
        #expect(justWorks.keys(of: late) == [key(.shortTerm(justWorks.key), "Just Works", frame: 6)])
    }

    @Test func aChangedConfirmValueYieldsNoKey() {
        var lines = justWorks.lines
        lines[3].command[5] ^= 1
        #expect(justWorks.keys(of: lines) == [])
    }

    @Test func sidesThatTheRecorderTookForEachOtherAreCorrected() {
        #expect(
            justWorks.keys(isReversed: true) == [key(.shortTerm(justWorks.key), "Just Works", frame: 6)])
    }

    @Test func aSecondPairingYieldsItsOwnKey() {
        var observer = PairingObserver()
        let known = ring(.passkey(31337))
        let failed = PairingTranscript.Line(false, SMP.encode(SMP.PairingFailed(reason: .confirmValueFailed)))
        let first = justWorks.keys(of: Array(justWorks.lines.prefix(5)) + [failed], by: &observer)
        #expect(first == [])
        let second = passkey.keys(of: passkey.lines, ring: known, by: &observer)
        #expect(second.first == key(.shortTerm(passkey.key), "passkey", frame: 6))
        #expect(justWorks.keys(of: justWorks.lines, by: &observer).map(\.value) == [.shortTerm(justWorks.key)])
    }

    /// The second pairing's last random number must not be combined with the first pairing's.
    @Test func partsOfTwoPairingsYieldNoKey() {
        var observer = PairingObserver()
        _ = justWorks.keys(of: Array(justWorks.lines.prefix(5)), by: &observer)
        #expect(passkey.keys(of: [passkey.lines[5]], by: &observer) == [])
        #expect(passkey.keys(of: [passkey.lines[2]], by: &observer) == [])
    }

    @Test func cutCommandsAreIgnored() {
        for length in 0..<17 {
            var lines = justWorks.lines
            lines[5].command = Array(lines[5].command.prefix(length))
            #expect(justWorks.keys(of: lines) == [])
        }
        var long = justWorks.lines
        long[5].command.append(0)
        #expect(justWorks.keys(of: long) == [])
    }

    /// A pairing of a public capture (ll256-legacy-passkey-pairing-encrypted): passkey 000000 was entered. The key was
    /// computed by Python's cryptography.
    @Test func thePairingOfAPublicCaptureIsRead() {
        var observer = PairingObserver()
        var budget = PairingBudget()
        let commands = [
            (true, "0104000d100707"), (false, "02000005100707"), (true, "03135f6bbf0e74f8bd401d43544a4de37c"),
            (false, "039ad6565005c80983b5591303da02c146"), (true, "04ab9444c5b44c45feaf737f7fdc653cba"),
            (false, "044a19a7766178bda874b138a4bc519432"),
        ]
        let keys = commands.flatMap { fromInitiator, command in
            observer.observe(
                hex(command), fromInitiator: fromInitiator,
                initiator: DeviceAddress(Address(value: 0x635B_46E8_B381), .random),
                responder: DeviceAddress(Address(value: 0x74DA_EA91_47E3), .public), frame: 1278, ring: KeyRing(),
                &budget)
        }
        #expect(
            keys.map(\.value)
                == [.shortTerm(SecretKey(number("f72fa81ee5e86708243e920107de31b9"))), .passkey(0)])
        #expect(keys.first?.origin == .pairing(frame: 1278, "passkey"))
    }

    @Test(arguments: [PairingBudget(searches: 0), PairingBudget(checks: 0)])
    func withoutABudgetNoPasskeyIsSearched(budget: PairingBudget) {
        var observer = PairingObserver()
        var budget = budget
        var ring = KeyRing()
        ring.isCracking = true
        #expect(passkey.keys(of: passkey.lines, ring: ring, by: &observer, &budget) == [])
    }

    @Test func aBudgetThatIsSpentYieldsTheKeysOfTheFirstPairing() {
        var observer = PairingObserver()
        var budget = PairingBudget(checks: 1)
        #expect(justWorks.keys(of: justWorks.lines, by: &observer, &budget).count == 1)
        var next = PairingObserver()
        #expect(justWorks.keys(of: justWorks.lines, by: &next, &budget) == [])
    }

    @Test(arguments: [PairingBudget(agreements: 0), PairingBudget(checks: 0)])
    func withoutABudgetNoSecretIsComputed(budget: PairingBudget) {
        let pairing = PairingTranscript.debugInitiator
        var observer = PairingObserver()
        #expect(pairing.keys(of: pairing.lines, by: &observer).count == 1)
        observer = PairingObserver()
        var budget = budget
        #expect(pairing.keys(of: pairing.lines, by: &observer, &budget) == [])
    }

    @Test func aSearchReportsItsProgressAndCanBeEnded() throws {
        let context = LegacyPairing.Context(
            request: 0x07_0710_0500_0401, response: 0x07_070A_0500_0002, initiator: PairingTranscript.initiator,
            responder: PairingTranscript.responder)
        let confirm = LegacyPairing.c1(key: SecretKey(31337), random: 7, context)
        let cracker = PasskeyCracker(context, confirm: confirm, random: 7)
        var parts: [Double] = []
        #expect(
            cracker.search {
                parts.append($0)
                return true
            } == 31337)
        #expect(parts == [0.01, 0.02, 0.03])
        #expect(cracker.search { _ in false } == nil)
    }
}

/// Keys that follow from what a listener hears of a pairing of LE Secure Connections.
struct SecurePairingObserverTests {
    private let transcript = PairingTranscript.privateKeys

    @Test(arguments: [
        (PairingTranscript.debugInitiator, 8), (PairingTranscript.debugResponder, 8),
    ])
    func theDebugKeyOfEitherSideYieldsTheKey(transcript: PairingTranscript, frame: Int) {
        #expect(transcript.keys() == [key(.longTerm(transcript.key), "debug key", frame: frame)])
    }

    @Test(arguments: [PairingTranscript.privateKeyOfInitiator, PairingTranscript.privateKeyOfResponder])
    func theGivenPrivateKeyOfEitherSideYieldsTheKey(bytes: [UInt8]) throws {
        let pair = try #require(P256.KeyPair(privateKey: bytes))
        #expect(
            transcript.keys(ring: ring(.privateKey(pair))) == [key(.longTerm(transcript.key), "private key", frame: 8)])
    }

    @Test func withoutAPrivateKeyThereIsNone() throws {
        let other = try #require(P256.KeyPair(privateKey: [UInt8](repeating: 1, count: 32)))
        #expect(transcript.keys(isCracking: true) == [])
        #expect(transcript.keys(ring: ring(.privateKey(other), .passkey(123456))) == [])
    }

    /// The passkey, which the check values need, follows from the 20 rounds.
    @Test func passkeyEntryYieldsTheKey() {
        let entry = PairingTranscript.securePasskeyEntry
        let frame = entry.lines.count - 1
        #expect(entry.keys() == [key(.longTerm(entry.key), "debug key", frame: frame)])
        // With a round lost, nothing can check the key.
        let lost = Array(entry.lines[..<8] + entry.lines[12...])
        #expect(
            entry.keys(of: lost) == [key(.longTerm(entry.key), "debug key, not confirmed", frame: frame - 4)])
    }

    /// The check values depend on a number that is not on the air.
    @Test func outOfBandYieldsAKeyThatIsNotConfirmed() {
        let outOfBand = PairingTranscript.secureOutOfBand
        #expect(outOfBand.keys() == [key(.longTerm(outOfBand.key), "debug key, not confirmed", frame: 7)])
    }

    @Test func aLostRequestLeavesTheKeyUnconfirmed() {
        let debug = PairingTranscript.debugInitiator
        #expect(
            debug.keys(of: debug.without(.pairingRequest, fromInitiator: true))
                == [key(.longTerm(debug.key), "debug key, not confirmed", frame: 7)])
    }

    @Test func eitherCheckValueIsEnough() {
        let debug = PairingTranscript.debugInitiator
        for side in [true, false] {
            #expect(
                debug.keys(of: debug.without(.pairingDHKeyCheck, fromInitiator: side)).map(\.value)
                    == [.longTerm(debug.key)])
        }
    }

    @Test(arguments: [5, 6, 7])
    func aChangedRandomNumberOrCheckValueYieldsNoKey(line: Int) {
        let debug = PairingTranscript.debugInitiator
        var lines = Array(debug.lines.dropLast())
        lines[line].command[3] ^= 1
        #expect(debug.keys(of: lines) == [])
    }

    @Test func doubledCommandsYieldOneKey() {
        for transcript in [PairingTranscript.debugInitiator, .securePasskeyEntry] {
            let keys = transcript.keys(of: transcript.lines.flatMap { [$0, $0] })
            #expect(keys.map(\.value) == [.longTerm(transcript.key)])
        }
    }

    @Test func aPublicKeyOffTheCurveYieldsNoKey() {
        let debug = PairingTranscript.debugInitiator
        var lines = debug.lines
        lines[3].command[64] ^= 1
        #expect(debug.keys(of: lines) == [])
    }

    @Test func aSecondPairingYieldsItsOwnKey() {
        var observer = PairingObserver()
        let first = PairingTranscript.debugInitiator
        let second = PairingTranscript.debugResponder
        #expect(first.keys(of: first.lines, by: &observer).map(\.value) == [.longTerm(first.key)])
        #expect(second.keys(of: second.lines, by: &observer).map(\.value) == [.longTerm(second.key)])
        let justWorks = PairingTranscript.justWorks
        #expect(justWorks.keys(of: justWorks.lines, by: &observer).map(\.value) == [.shortTerm(justWorks.key)])
    }
}
