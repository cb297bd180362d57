import Bluetooth
import BluetoothCrypto
import Keys
import Testing

/// Files of keys, recognised by what they contain.
struct KeyFileTests {
    private let ltk = KnownKey.Value.longTerm(SecretKey(0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10))
    private let irk = KnownKey.Value.identityResolving(SecretKey(0xa1a2_a3a4_a5a6_a7a8_a9aa_abac_adae_afb0))
    private let csrk = KnownKey.Value.signature(SecretKey(0xc1c2_c3c4_c5c6_c7c8_c9ca_cbcc_cdce_cfd0))
    private let device = Address("c0:11:22:33:44:55")

    private func read(_ text: String, _ name: String = "keys.txt") throws(KeyFileError) -> [KnownKey] {
        try KeyFile.read(Array(text.utf8), name)
    }

    private func key(
        _ value: KnownKey.Value, _ address: Address? = nil, _ name: KnownKey.LegacyName? = nil,
        in file: String = "keys.txt"
    ) -> KnownKey {
        KnownKey(value, address: address, name: name, origin: .file(file))
    }

    @Test func aListOfKeysHasCommentsAndBlankLines() throws {
        let keys = try read(
            """
            # the puck on my desk

            ltk:0102030405060708090a0b0c0d0e0f10@c0:11:22:33:44:55  # bonded in May
              irk: a1a2a3a4 a5a6a7a8 a9aaabac adaeafb0
            broadcast-code:room #3
            csrk:00000000000000000000000000000000
            """)
        #expect(keys == [key(ltk, device), key(irk), key(.broadcastCode(SecretKey(wireBytes: Array("room".utf8))))])
    }

    @Test func aFaultNamesFileAndLineAndNoDigit() {
        let text = "ltk:0102030405060708090a0b0c0d0e0f10\n\nirk:a1a2a3a4a5\n"
        let fault = KeyFileError(
            file: "keys.txt", line: 3, "irk: expected 32 hexadecimal digits, the most significant byte first")
        #expect(throws: fault) { try read(text) }
        #expect("\(fault)" == "keys.txt:3: irk: expected 32 hexadecimal digits, the most significant byte first")
    }

    /// Key is least significant byte first, as the kernel's management interface has it.
    @Test func aFileOfBlueZNamesItsDeviceByItsFolder() throws {
        let path = "/var/lib/bluetooth/00:1A:7D:DA:71:13/C0:11:22:33:44:55/info"
        let keys = try read(
            """
            [General]
            Name=Puck
            AddressType=static

            [IdentityResolvingKey]
            Key=B0AFAEADACABAAA9A8A7A6A5A4A3A2A1

            [PeripheralLongTermKey]
            Key=100F0E0D0C0B0A090807060504030201
            Authenticated=0
            EncSize=16
            EDiv=51189
            Rand=2641808354939232188

            [SlaveLongTermKey]
            Key=100F0E0D0C0B0A090807060504030201
            EncSize=16
            EDiv=51189
            Rand=2641808354939232188

            [LongTermKey]
            Key=00000000000000000000000000000000
            EDiv=0
            Rand=0

            [RemoteSignatureKey]
            Key=D0CFCECDCCCBCAC9C8C7C6C5C4C3C2C1
            Counter=0

            [LinkKey]
            Key=00112233445566778899AABBCCDDEEFF
            """, path)
        let name = KnownKey.LegacyName(encryptedDiversifier: 51189, random: 2_641_808_354_939_232_188)
        #expect(
            keys == [key(irk, device, in: path), key(ltk, device, name, in: path), key(csrk, device, in: path)])
    }

    @Test func aKeyOfSecureConnectionsHasNoName() throws {
        let keys = try read("[LongTermKey]\nKey=100F0E0D0C0B0A090807060504030201\nEDiv=0\nRand=0x0\n", "info")
        #expect(keys == [key(ltk, in: "info")])
    }

    @Test func aFileOfAndroidHasASectionForEachDevice() throws {
        let keys = try read(
            """
            [Info]
            FileSource = Empty

            [Adapter]
            Address = 3a:81:c0:4f:2b:6e
            LE_LOCAL_KEY_IRK = b0afaeadacabaaa9a8a7a6a5a4a3a2a1
            LE_LOCAL_KEY_ER = 100f0e0d0c0b0a090807060504030201

            [c0:11:22:33:44:55]
            Name = Puck
            AddrType = 1
            LinkKey = 00112233445566778899aabbccddeeff
            LE_KEY_PENC = 100f0e0d0c0b0a09080706050403020108070605040302013412 0210
            LE_KEY_PID = d0cfcecdcccbcac9c8c7c6c5c4c3c2c101d1aabbccddee
            LE_KEY_LENC = 200f0e0d0c0b0a09080706050403020100001002
            LE_KEY_LID =

            [c0:11:22:33:44:66]
            LE_KEY_PENC = 00000000000000000000000000000000000000000000000000000210
            LE_KEY_PCSRK = 00000000d0cfcecdcccbcac9c8c7c6c5c4c3c2c102
            """, "bt_config.conf")
        let name = KnownKey.LegacyName(encryptedDiversifier: 0x1234, random: 0x0102_0304_0506_0708)
        let peer = KnownKey.Value.identityResolving(SecretKey(0xc1c2_c3c4_c5c6_c7c8_c9ca_cbcc_cdce_cfd0))
        let distributed = KnownKey.Value.longTerm(SecretKey(0x0102_0304_0506_0708_090a_0b0c_0d0e_0f20))
        let file = "bt_config.conf"
        #expect(
            keys == [
                key(irk, Address("3a:81:c0:4f:2b:6e"), in: file), key(ltk, device, name, in: file),
                key(peer, Address("d1:aa:bb:cc:dd:ee"), in: file), key(distributed, device, in: file),
                key(csrk, Address("c0:11:22:33:44:66"), in: file),
            ])
    }

    @Test func anEntryOfAndroidThatIsCutIsRefused() {
        let fault = KeyFileError(file: "keys.txt", line: 2, "LE_KEY_PENC: 2 bytes; expected 28")
        #expect(throws: fault) { try read("[c0:11:22:33:44:55]\nLE_KEY_PENC = 0102\n") }
    }

    @Test func aLogOfZephyrHasKeysMostSignificantByteFirst() throws {
        let keys = try read(
            """
            *** Booting Zephyr OS build v4.2.0 ***
            [00:00:00.256,561] <inf> bt_hci_core: Identity: C0:11:22:33:44:55 (random)
            [00:00:00.256,622] <inf> bt_hci_core: IRK: 0xa1a2a3a4a5a6a7a8a9aaabacadaeafb0
            [00:00:01.100,000] <inf> bt_ecc: SC private key 0x3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd
            [00:00:05.100,000] \u{1B}[0m<inf> bt_keys: SC LTK: 0x0102030405060708090a0b0c0d0e0f10\u{1B}[0m
            [00:00:06.100,000] <inf> bt_keys: Legacy LTK: 0x090a0b0c0d0e0f10 (peripheral)
            [00:00:07.100,000] <inf> bt_keys: SC LTK: 0x010203
            """, "serial.log")
        let cut = KnownKey.Value.longTerm(SecretKey(0x090a_0b0c_0d0e_0f10))
        #expect(keys.map(\.value.kind) == [.irk, .privateKey, .ltk, .ltk])
        #expect(keys[0] == key(irk, device, in: "serial.log"))
        #expect(keys[2...] == [key(ltk, in: "serial.log"), key(cut, in: "serial.log")])
    }

    @Test func aLogOfNimBLEHasBytesOneByOne() throws {
        let bytes = (1...16).reversed().map { "0x" + (($0 < 16 ? "0" : "") + String($0, radix: 16)) }
        let keys = try read(
            """
            looking up peer sec; peer_addr_type=1 peer_addr=0x55 0x44 0x33 0x22 0x11 0xc0
            ediv=4660 rand=72623859790382856 authenticated=0 ltk=\(bytes.joined(separator: " "))  irk= b0afaeadacabaaa9a8a7a6a5a4a3a2a1
            csrk=0xd0 0xcf
            """)
        let name = KnownKey.LegacyName(encryptedDiversifier: 4660, random: 0x0102_0304_0506_0708)
        #expect(keys == [key(ltk, device, name), key(irk, device)])
    }

    @Test func aLogOfESPIDFHasABytePerLine() throws {
        var lines = ["D (5864) NimBLE: ediv=0 rand=0 authenticated=1 ltk="]
        for byte in (1...16).reversed() {
            lines.append("D (5865) NimBLE: 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16)) ")
        }
        lines.append("D (5866) NimBLE:  ")
        #expect(try read(lines.joined(separator: "\r\n")) == [key(ltk)])
    }

    @Test func aKeystoreOfBumbleHasDevicesInNamespaces() throws {
        let keys = try read(
            """
            {
                "F0:F1:F2:F3:F4:F5": {
                    "C0:11:22:33:44:55/P": {
                        "address_type": 0,
                        "irk": { "authenticated": false, "value": "b0afaeadacabaaa9a8a7a6a5a4a3a2a1" },
                        "link_key": { "authenticated": false, "value": "00112233445566778899aabbccddeeff" },
                        "ltk_peripheral": {
                            "authenticated": false, "ediv": 4660, "rand": "0807060504030201",
                            "value": "100f0e0d0c0b0a090807060504030201"
                        }
                    }
                }
            }
            """, "keys.json")
        let name = KnownKey.LegacyName(encryptedDiversifier: 4660, random: 0x0102_0304_0506_0708)
        #expect(keys == [key(ltk, device, name, in: "keys.json"), key(irk, device, in: "keys.json")])
    }

    @Test func aCommandLineOfTheSnifferHasItsKeys() throws {
        let keys = try read(
            """
            nrfutil ble-sniffer sniff --port /dev/ttyACM0 --follow C0:11:22:33:44:55 \\
              --sc-ltk-key 0x0102030405060708090A0B0C0D0E0F10 --irk-key="0xa1a2a3a4a5a6a7a8a9aaabacadaeafb0"
            """)
        #expect(keys == [key(ltk), key(irk)])
    }

    @Test(arguments: ["no keys in here", "{", "\u{0}\u{0}\u{0}", "[c0:11:22:33:44:55]\nName = Puck"])
    func anotherFileIsRefused(text: String) throws {
        if text == "\u{0}\u{0}\u{0}" { return #expect(try read(text).isEmpty) }
        #expect(throws: KeyFileError.self) { try read(text) }
    }

    @Test func anEmptyFileHasNoKeys() throws {
        #expect(try read("").isEmpty)
        #expect(try read("# none yet\n").isEmpty)
    }

    /// Bytes of all kinds, cut and changed everywhere, neither crash nor hang a reader.
    @Test func damagedFilesAreReadOrRefused() {
        let samples = [
            "ltk:0102030405060708090a0b0c0d0e0f10@c0:11:22:33:44:55\n",
            "[LongTermKey]\nKey=100F0E0D0C0B0A090807060504030201\nEDiv=70000\nRand=99999999999999999999\n",
            "[Adapter]\nLE_KEY_PID = d0cfcecdcccbcac9c8c7c6c5c4c3c2c101d1aabbccddee\n",
            "IRK[12]: 0xa1a2a3a4a5a6a7a8a9aaabacadaeafb0\nSC LTK: 0x0102030405060708090a0b0c0d0e0f10\n",
            "peer_addr=0x55 0x44 ltk=ltk=irk=0x01 0x02\nltk= 100f0e0d0c0b0a090807060504030201\n",
            "{\"n\": {\"C0:11:22:33:44:55\": {\"ltk\": {\"value\": \"10\", \"ediv\": -1, \"rand\": \"zz\"}}}}",
            "--sc-ltk-key 0x0102030405060708090A0B0C0D0E0F10 --irk-key\n",
        ]
        for sample in samples {
            let bytes = Array(sample.utf8)
            for index in bytes.indices {
                _ = try? KeyFile.read(Array(bytes[..<index]), "cut")
                for byte: UInt8 in [0, 0x0A, 0x20, 0x2D, 0x3D, 0x5B, 0x5D, 0xFF] {
                    var changed = bytes
                    changed[index] = byte
                    _ = try? KeyFile.read(changed, "changed")
                }
            }
        }
        _ = try? KeyFile.read(Array(String(repeating: "ltk=", count: 100_000).utf8), "long")
    }

    @Test func captureFilesAreNoFilesOfKeys() {
        #expect(throws: KeyFileError.self) {
            try KeyFile.read(Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA], "capture")
        }
    }
}
