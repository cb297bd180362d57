import Bluetooth
import PDUTestKit
import Radio
import Testing

/// Encryption of connections, from the view of both hosts.
@Suite struct EncryptionTests {
    private static let key = [UInt8](0..<16)
    private static let other = [UInt8](16..<32)

    private func start(_ bed: inout TestBed, _ handle: ConnectionHandle, _ key: [UInt8] = EncryptionTests.key) {
        bed.send(
            0,
            HCI.LEEnableEncryption(
                handle: handle, randomNumber: [1, 2, 3, 4, 5, 6, 7, 8], encryptedDiversifier: 0x1234, longTermKey: key))
    }

    private func isEncrypted(_ packets: [[UInt8]]) -> [HCI.ErrorCode] {
        TestBed.events(HCI.EncryptionChange.self, in: packets).map(\.status)
    }

    /// Opens an encrypted connection.
    private func encrypted(_ bed: inout TestBed) throws -> (ConnectionHandle, ConnectionHandle) {
        let (central, peripheral) = try bed.connected()
        start(&bed, central)
        bed.pass(200)
        bed.send(1, HCI.LELongTermKeyRequestReply(handle: peripheral, longTermKey: Self.key))
        bed.pass(200)
        #expect(isEncrypted(bed.take(0)) == [.success])
        #expect(isEncrypted(bed.take(1)) == [.success])
        return (central, peripheral)
    }

    @Test func theSameKeyEncrypts() throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        start(&bed, central)
        bed.pass(200)
        let request = try #require(TestBed.events(HCI.LELongTermKeyRequest.self, in: bed.take(1)).first)
        #expect(request.handle == peripheral)
        #expect(request.randomNumber == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(request.encryptedDiversifier == 0x1234)
        #expect(isEncrypted(bed.take(0)).isEmpty)
        bed.send(1, HCI.LELongTermKeyRequestReply(handle: peripheral, longTermKey: Self.key))
        bed.pass(200)
        let changes = TestBed.events(HCI.EncryptionChange.self, in: bed.take(0))
        #expect(changes.map(\.status) == [.success])
        #expect(changes.map(\.enabled) == [1])
        #expect(isEncrypted(bed.take(1)) == [.success])
        bed.sendData(0, central, [1, 2, 3])
        bed.sendData(1, peripheral, [4, 5, 6])
        bed.pass(200)
        #expect(TestBed.data(in: bed.take(1)).map(\.bytes) == [[1, 2, 3]])
        #expect(TestBed.data(in: bed.take(0)).map(\.bytes) == [[4, 5, 6]])
    }

    @Test func dataWaitUntilItHasStarted() throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        start(&bed, central)
        bed.sendData(0, central, [1])
        bed.pass(200)
        bed.sendData(1, peripheral, [2])
        bed.pass(200)
        #expect(TestBed.data(in: bed.take(1)).isEmpty)
        #expect(TestBed.data(in: bed.take(0)).isEmpty)
        bed.send(1, HCI.LELongTermKeyRequestReply(handle: peripheral, longTermKey: Self.key))
        bed.pass(200)
        #expect(TestBed.data(in: bed.take(1)).map(\.bytes) == [[1]])
        #expect(TestBed.data(in: bed.take(0)).map(\.bytes) == [[2]])
    }

    @Test func anotherKeyEndsTheConnection() throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        start(&bed, central)
        bed.pass(200)
        bed.send(1, HCI.LELongTermKeyRequestReply(handle: peripheral, longTermKey: Self.other))
        bed.pass(1500)
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(1)).map(\.reason) == [.micFailure])
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(0)).map(\.reason) == [.connectionTimeout])
    }

    @Test func withoutAKeyTheConnectionStaysAsItWas() throws {
        var bed = TestBed(2)
        let (central, peripheral) = try bed.connected()
        start(&bed, central)
        bed.sendData(0, central, [1])
        bed.pass(200)
        bed.send(1, HCI.LELongTermKeyRequestNegativeReply(handle: peripheral))
        bed.pass(200)
        #expect(isEncrypted(bed.take(0)) == [.pinOrKeyMissing])
        let packets = bed.take(1)
        #expect(isEncrypted(packets).isEmpty)
        #expect(TestBed.data(in: packets).map(\.bytes) == [[1]])
    }

    @Test func aNewKeyIsARefresh() throws {
        var bed = TestBed(2)
        let (central, peripheral) = try encrypted(&bed)
        start(&bed, central, Self.other)
        bed.sendData(0, central, [1])
        bed.pass(300)
        #expect(TestBed.events(HCI.LELongTermKeyRequest.self, in: bed.take(1)).count == 1)
        bed.send(1, HCI.LELongTermKeyRequestReply(handle: peripheral, longTermKey: Self.other))
        bed.pass(300)
        // Encryption Key Refresh Complete.
        #expect(bed.takeText(0).contains("04 30 03 00 40 00"))
        let packets = bed.take(1)
        #expect(packets.map { TestBed.text($0) }.contains("04 30 03 00 40 00"))
        #expect(TestBed.data(in: packets).map(\.bytes) == [[1]])
    }

    @Test func aKeyThatIsMissingLaterEndsTheConnection() throws {
        var bed = TestBed(2)
        let (central, peripheral) = try encrypted(&bed)
        start(&bed, central)
        bed.pass(300)
        _ = bed.take(1)
        bed.send(1, HCI.LELongTermKeyRequestNegativeReply(handle: peripheral))
        bed.pass(300)
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(0)).map(\.reason) == [.pinOrKeyMissing])
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(1)).map(\.reason) == [.pinOrKeyMissing])
    }

    @Test func aHostThatNeverAnswersLosesTheConnection() throws {
        var bed = TestBed(2)
        let (central, _) = try bed.connected()
        start(&bed, central)
        bed.pass(39_900)
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: bed.take(0)).isEmpty)
        bed.pass(200)
        let packets = bed.take(0)
        #expect(TestBed.events(HCI.DisconnectionComplete.self, in: packets).map(\.reason) == [.responseTimeout])
    }

    @Test func onlyTheCentralStarts() throws {
        var bed = TestBed(2)
        let (_, peripheral) = try bed.connected()
        bed.send(
            1,
            HCI.LEEnableEncryption(
                handle: peripheral, randomNumber: Array(repeating: 0, count: 8), encryptedDiversifier: 0,
                longTermKey: Self.key))
        #expect(bed.status(1) == .commandDisallowed)
        bed.send(1, HCI.LELongTermKeyRequestReply(handle: peripheral, longTermKey: Self.key))
        #expect(bed.status(1) == .commandDisallowed)
    }
}

/// Cryptographic commands, with the vectors of the specification.
@Suite struct KeyTests {
    /// FIPS 197, C.1, in HCI byte order
    @Test func blocksAreEncrypted() {
        var bed = TestBed(1)
        bed.send(
            0,
            "01 17 20 20 0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11 00"
        )
        #expect(bed.returned(0).map { TestBed.text($0) } == "00 5a c5 b4 70 80 b7 cd d8 30 04 7b 6a d8 e0 c4 69")
    }

    @Test func randomNumbersFollowFromTheSeed() {
        var numbers: [[UInt8]?] = []
        for seed in [1, 1, 2] as [UInt64] {
            var bed = TestBed(1, seed: seed)
            bed.send(0, "01 18 20 00")
            numbers.append(bed.returned(0))
        }
        #expect(numbers[0] == numbers[1])
        #expect(numbers[0] != numbers[2])
    }

    @Test func bothComputeTheSameSecret() throws {
        var bed = TestBed(2)
        var keys: [[UInt8]] = []
        for index in 0...1 {
            bed.send(index, "01 26 20 40" + String(repeating: " 00", count: 64))
            #expect(bed.status(index) == .commandDisallowed)
            bed.send(index, "01 25 20 00")
            let packets = bed.take(index)
            #expect(packets.map { Array($0[..<3]) } == [[4, 0x0F, 4], [4, 0x3E, 66]])
            keys.append(Array(packets[1][5...]))
        }
        var secrets: [[UInt8]] = []
        for index in 0...1 {
            bed.send(index, raw: [1, 0x26, 0x20, 64] + keys[1 - index])
            secrets.append(try #require(bed.take(index).last))
        }
        #expect(secrets[0] == secrets[1])
        #expect(secrets[0].count == 37)
        #expect(secrets[0][4] == 0)
    }

    @Test func aKeyOffTheCurveIsRefused() throws {
        var bed = TestBed(1)
        bed.send(0, "01 25 20 00")
        bed.send(0, "01 26 20 40" + String(repeating: " 01", count: 64))
        let event = try #require(bed.take(0).last)
        #expect(event[3] == 0x09)
        #expect(event[4] == HCI.ErrorCode.invalidCommandParameters.rawValue)
    }

    /// The shared secret of the debug key pair with itself (Vol 3, Part H, 2.3.5.6.1).
    @Test func theDebugKeyIsTheSpecifications() throws {
        var bed = TestBed(2)
        bed.send(1, "01 25 20 00")
        let key = Array(try #require(bed.take(1).last)[5...])
        bed.send(0, raw: [1, 0x5E, 0x20, 65] + key + [1])
        let ours = Array(try #require(bed.take(0).last)[5...])
        let x = "20 b0 03 d2 f2 97 be 2c 5e 2c 83 a7 e9 f9 a5 b9 ef f4 91 11 ac f4 fd db cc 03 01 48 0e 35 9d e6"
        let y = "dc 80 9c 49 65 2a eb 6d 63 32 9a bf 5a 52 15 5c 76 63 45 c2 8f ed 30 24 74 1c 8e d0 15 89 d2 8b"
        bed.send(1, raw: [1, 0x26, 0x20, 64] + hex(x).reversed() + hex(y).reversed())
        #expect(Array(try #require(bed.take(1).last)[5...]) == ours)
    }
}
