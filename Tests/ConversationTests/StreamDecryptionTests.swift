import Bluetooth
import BluetoothCrypto
import Bytes
import Captures
import Dissection
import Keys
import PDUTestKit
import TestKit
import Testing

@testable import Conversation

/// Decryption of isochronous streams on the air.
struct StreamDecryptionTests {
    private static let code = SecretKey(wireBytes: Array("Børne House".utf8))
    private static let longTermKey = SecretKey(0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF)
    private static let broadcastCode = KnownKey(.broadcastCode(code), origin: .given)

    private let air = AirSession()
    private let start: Int64

    init() {
        air.recording.pace = 0
        start = air.recording.time.nanoseconds
    }

    private func at(_ microseconds: Int64) {
        air.recording.time = Timestamp(nanoseconds: start + microseconds * 1000)
    }

    private func tracked(_ keys: [KnownKey]) -> (tracker: Tracker, batch: TrackedBatch) {
        var tracker = Tracker(keys: KeyRing(keys))
        let batch = tracker.track(air.recording.batch)
        return (tracker, batch)
    }

    /// The plain texts of the isochronous PDUs; nil for those that stay closed.
    private func opened(_ batch: TrackedBatch) -> [[UInt8]?] {
        batch.metadata.filter { $0.kind == .isochronous }.map {
            $0.plain.isPresent ? Array(batch.bytes(of: $0.plain)) : nil
        }
    }

    // MARK: - Broadcast

    /// A group that begins with payload 500, of which `payloads` are sent twice each.
    private func broadcast(_ payloads: [UInt64]) throws {
        let train = AirTrain()
        let group = GAP.BIGInfo.group(streams: 1, offset: 3000, payload: 500, isEncrypted: true)
        air.advertiseExtended(Cast.puck, [], syncInfo: train.syncInfo(offset: 30_000, event: 7))
        at(30_000)
        air.periodic(train, [], controllerData: AirSession.structure(.bigInfo, group.encoded))
        let encryption = try #require(group.encryption)
        let diversifier = encryption.sessionKeyDiversifier.reversed().reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
        let vector = encryption.initializationVector.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let address = LL.AccessAddress(seed: group.seedAccessAddress, stream: 1)
        let cipher = LinkEncryption(
            sessionKey: BroadcastEncryption.groupSessionKey(broadcastCode: Self.code, diversifier: diversifier),
            vector: BroadcastEncryption.vector(groupVector: vector, accessAddress: address.rawValue),
            mask: .broadcastStream)
        for payload in payloads {
            let sealed = cipher.seal(
                Self.content(payload), header: 0, counter: payload, from: .central)
            for subevent in 0..<2 as Range<Int64> {
                at(33_000 + Int64(payload - 500) * 10_000 + subevent * 1200)
                air.broadcast(group, 1, sealed)
            }
        }
    }

    private static func content(_ payload: UInt64) -> [UInt8] {
        [0xAA, UInt8(truncatingIfNeeded: payload >> 8), UInt8(truncatingIfNeeded: payload)]
    }

    @Test func aBroadcastCodeOpensAStream() throws {
        let payloads: [UInt64] = [500, 501, 502, 510, 900]
        try broadcast(payloads)
        let (tracker, batch) = tracked([Self.broadcastCode])
        #expect(opened(batch) == payloads.flatMap { [Self.content($0), Self.content($0)] })
        // The second transmissions are not counted.
        #expect(tracker.decryption.encrypted == payloads.count)
        #expect(tracker.decryption.decrypted == payloads.count)
        #expect(tracker.decryption.sessions.map(\.key) == [.broadcastCode])
    }

    /// Only searches take from their budget.
    @Test func aLongStreamIsOpenedToItsEnd() throws {
        try broadcast(Array(500..<5500))
        let tracker = tracked([Self.broadcastCode]).tracker
        #expect(tracker.decryption.decrypted == 5000)
        #expect(tracker.decryption.encrypted == 5000)
    }

    @Test func thePlainTextFollowsTheCiphertextInTheTree() throws {
        try broadcast([500])
        let batch = tracked([Self.broadcastCode]).batch
        let frame = DissectedFrame()
        Dissector().dissect(try #require(batch.metadata.last), of: batch, into: frame)
        let data = frame.recorder.fields.filter { $0.field == LL.Fields.isochronousData }
        #expect(data.map(\.buffer) == [.decrypted])
        #expect(data.map(\.length) == [3])
        #expect(frame.diagnoses.isEmpty)
    }

    @Test func aReversedCodeIsTriedAsWell() throws {
        try broadcast([500])
        let reversed = KnownKey(.broadcastCode(SecretKey(Self.code.value.byteSwapped)), origin: .given)
        let (tracker, batch) = tracked([reversed])
        #expect(opened(batch).allSatisfy { $0 != nil })
        #expect(tracker.decryption.sessions.map(\.isReversed) == [true])
    }

    @Test(arguments: [
        ([], ClosedReason.noKey), ([KnownKey(.broadcastCode(SecretKey(1)), origin: .given)], .noKeyFits),
    ])
    func withoutItsCodeAStreamStaysClosed(keys: [KnownKey], reason: ClosedReason) throws {
        try broadcast(Array(500..<600))
        let (tracker, batch) = tracked(keys)
        #expect(opened(batch).allSatisfy { $0 == nil })
        #expect(batch.metadata.filter { $0.kind == .isochronous }.allSatisfy { $0.closed == reason })
        #expect(tracker.decryption.undecrypted.map(\.reason) == [reason])
        #expect(tracker.decryption.undecrypted.map(\.packets) == [100])
    }

    // MARK: - Connected

    private let stream = LL.AccessAddress(rawValue: 0x7A12_B3C5)

    /// A stream of an encrypted connection, with an interval of 10 ms and one payload of each side in an event.
    private func connect() throws -> (link: AirLink, cipher: LinkEncryption) {
        let link = air.connect(Cast.phone, to: Cast.puck)
        air.recording.pace = 1_000_000
        link.control(
            LL.EncReq(
                random: 0, encryptedDiversifier: 0, sessionKeyDiversifier: 0xACBD_CEDF_E0F1_0213,
                initializationVector: 0xBADC_AB24), .sent)
        link.control(
            LL.EncRsp(sessionKeyDiversifier: 0x0213_2435_4657_6879, initializationVector: 0xDEAF_BABE), .received)
        link.control([0x05], .received)
        let cipher = LinkEncryption(
            longTermKey: Self.longTermKey, centralDiversifier: 0xACBD_CEDF_E0F1_0213,
            peripheralDiversifier: 0x0213_2435_4657_6879, centralVector: 0xBADC_AB24, peripheralVector: 0xDEAF_BABE)
        let request = LL.encode(
            LL.CISReq(
                cigID: 1, cisID: 2, centralToPeripheral: LL.PHYs(rawValue: 1),
                peripheralToCentral: LL.PHYs(rawValue: 1), centralSDUBits: 40,
                peripheralSDUBits: 40, centralSDUInterval: 10_000, peripheralSDUInterval: 10_000, centralMaxPDU: 40,
                peripheralMaxPDU: 40, subeventCount: 2, subInterval: 2500, burstNumbers: 0x11,
                centralFlushTimeout: 1, peripheralFlushTimeout: 1, isoInterval: 8, offsetMinimum: 500,
                offsetMaximum: 7500, connectionEventCount: 9))
        let indication = LL.encode(
            LL.CISInd(
                accessAddress: stream, offset: 500, cigSyncDelay: 5000, cisSyncDelay: 5000, connectionEventCount: 9))
        for (counter, pdu) in [[0x06], request, indication].enumerated() {
            link.control(cipher.seal(pdu, header: 3, counter: UInt64(counter), from: .central), .sent)
        }
        air.recording.pace = 0
        return (link, cipher.connectedStream(accessAddress: stream.rawValue))
    }

    private func send(
        _ counter: UInt64, _ sender: LinkEncryption.Sender, _ link: AirLink, _ cipher: LinkEncryption
    ) {
        let header = LL.ConnectedIsochronousHeader(bits: UInt16(counter & 1) << 3)
        air.isochronous(
            stream, of: link,
            cipher.seal(
                Self.content(counter), header: UInt8(truncatingIfNeeded: header.bits), counter: counter, from: sender),
            sequenceNumber: UInt16(counter & 1))
    }

    @Test func theSessionOfTheConnectionOpensAStream() throws {
        let (link, cipher) = try connect()
        let begin = air.recording.time.nanoseconds
        // After the first events, seven are missed; then seven hundred.
        let counters: [UInt64] = [0, 1, 9, 10, 710]
        for counter in counters {
            air.recording.time = Timestamp(nanoseconds: begin + Int64(counter) * 10_000_000)
            send(counter, .central, link, cipher)
            send(counter, .peripheral, link, cipher)
            send(counter, .peripheral, link, cipher)
        }
        let (tracker, batch) = tracked([KnownKey(.longTerm(Self.longTermKey), origin: .given)])
        #expect(opened(batch) == counters.flatMap { [[UInt8]](repeating: Self.content($0), count: 3) })
        let directions = batch.metadata.filter { $0.kind == .isochronous }.map(\.direction)
        #expect(directions == counters.flatMap { _ in [.sent, .received, .received] as [Direction] })
        #expect(tracker.decryption.sessions.last?.decrypted == 2 * counters.count)
    }

    @Test func withoutTheConnectionsKeyAStreamStaysClosed() throws {
        let (link, cipher) = try connect()
        send(0, .central, link, cipher)
        let batch = tracked([]).batch
        #expect(opened(batch).allSatisfy { $0 == nil })
        #expect(batch.reassembly.bytes.isEmpty)
    }

    @Test func aStreamThatStaysClosedTakesLittleMemory() throws {
        try broadcast(Array(500..<700))
        let batch = tracked([KnownKey(.broadcastCode(SecretKey(1)), origin: .given)]).batch
        #expect(batch.reassembly.bytes.isEmpty)
    }
}
