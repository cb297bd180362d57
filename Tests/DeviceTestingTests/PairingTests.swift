import DeviceTesting
import Emulation
import PDUTestKit
import PluginKit
import Profile
import TestKit
import Testing
import Transports
import Workbench

/// Connections that must be encrypted.
struct PairingTests {
    /// A lock that displays a passkey.
    private static let lock = """
        profile:
          {id: lock, title: Lock, version: 1.0.0, format: 1, licence: Apache-2.0, sources: [a test]}
        match: [{name: '^Lock$', weight: 60}]
        types:
          code: {fields: [{name: code, type: u16}]}
        gatt:
          - service: 6F75616B-7661-7465-2D00-000000000077
            name: lock
            characteristics:
              - {uuid: 6F75616B-7661-7465-2D00-000000000078, name: code, properties: [read, write], value: code, length: 2,
                 security: authenticated}
        emulate:
          name: Lock
          values: [{characteristic: code, value: {code: 7}}]
        """

    private func session(passkey: UInt32? = nil) throws -> ConnectSession {
        let folder = try TemporaryFolder()
        let path = try folder.file("lock/profile.yaml", Self.lock.utf8)
        let library = try PluginLibrary.load([path], environment: [:])
        var options = ConnectOptions(transport: .radio)
        options.plugin = try #require(library["lock"]?.plugin)
        options.passkey = passkey
        return try ConnectSession(options, library) { false }
    }

    @Test func theTwinsPasskeyIsTyped() throws {
        let session = try session()
        #expect(try session.perform(.read("code")).map(\.bytes) == [[7, 0]])
        session.close()
    }

    @Test func aWrongPasskeyIsReported() throws {
        #expect {
            try session(passkey: 1_000_000 - 1)
        } throws: { error in
            guard case .inconclusive(let reason)? = error as? TestStop else { return false }
            return reason.hasPrefix("pairing failed: ")
        }
    }

    /// The test bed, and a tester that pairs with the lock.
    private func tester() throws -> (VirtualBed, LowerTester) {
        let folder = try TemporaryFolder()
        let path = try folder.file("lock/profile.yaml", Self.lock.utf8)
        let plugin = try #require(try PluginLibrary.load([path], environment: [:])["lock"]?.plugin)
        var device = TestedDevice(plugin, dialect: nil)
        device.hasUser = true
        let bed = try VirtualBed(plugin, dialect: nil, pairing: device.pairing) { false }
        return (bed, LowerTester(device, bed: bed))
    }

    /// Pairing Requests that the tester has sent (Vol 3, Part H, 3.5.1).
    private func pairings(on bed: VirtualBed) -> Int {
        bed.packets.count { $0.isSent && $0.bytes.first == 2 && $0.bytes.dropFirst(7).starts(with: [6, 0, 1]) }
    }

    @Test func theBondIsUsedAgain() throws {
        let (bed, tester) = try tester()
        for _ in 0..<2 {
            try tester.connect()
            #expect(try tester.read(tester.handle(of: "code")).get() == [7, 0])
            try tester.disconnect()
        }
        #expect(pairings(on: bed) == 1)
    }

    @Test func aDeviceThatHasLostItsBondIsPairedAnew() throws {
        let (bed, tester) = try tester()
        try tester.connect()
        try tester.disconnect()
        bed.forgetBonds()
        try tester.connect()
        #expect(try tester.read(tester.handle(of: "code")).get() == [7, 0])
        #expect(pairings(on: bed) == 2)
    }

    /// The link is lost while encrypted: the bond encrypts the next one before anything is read.
    @Test func encryptionIsBackAfterALostLink() throws {
        let (bed, tester) = try tester()
        try tester.connect()
        // Keys are distributed some time after the encryption.
        try tester.wait(.seconds(1))
        try tester.loseLink()
        try tester.connect()
        #expect(try tester.read(tester.handle(of: "code")).get() == [7, 0])
        #expect(pairings(on: bed) == 1)
    }
}
