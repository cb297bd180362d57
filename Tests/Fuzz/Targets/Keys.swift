import Bytes
import Keys

extension FuzzTarget {
    /// A file of keys in any format, for `--keys`.
    static let keyFiles = FuzzTarget("key-files") { _ in
        keyFileSeeds.map { Array($0.utf8) }
    } fault: { bytes in
        do throws(KeyFileError) {
            for key in try KeyFile.read(bytes, "/bluetooth/C0:11:22:33:44:55/info") {
                let text = KeySpec(key.value, address: key.address).text
                guard let again = try? KeySpec(text), again.value == key.value, again.address == key.address else {
                    return "a key of the kind \(key.kind.rawValue) reads differently once it is written"
                }
            }
            return nil
        } catch {
            return error.text.isEmpty ? "a file of keys is refused without a reason" : nil
        }
    }

    /// A file of each format.
    private static let keyFileSeeds = [
        """
        # bonds
        ltk:0102030405060708090a0b0c0d0e0f10@c0:11:22:33:44:55 # LE Secure Connections
        passkey:123456
        session:0102030405060708090a0b0c0d0e0f10 9e7a00efb17ae746
        broadcast-code:room
        """,
        "[PeripheralLongTermKey]\nKey=100F0E0D0C0B0A090807060504030201\nEDiv=51189\nRand=2641808354939232188\n",
        """
        [c0:11:22:33:44:55]
        LE_KEY_PENC = 100f0e0d0c0b0a090807060504030201080706050403020134120210
        LE_KEY_PID = d0cfcecdcccbcac9c8c7c6c5c4c3c2c101d1aabbccddee
        LE_KEY_LCSRK = 0000000012340200d0cfcecdcccbcac9c8c7c6c5c4c3c2
        """,
        """
        {"n": {"C0:11:22:33:44:55/P": {"ltk": {"value": "100f0e0d0c0b0a090807060504030201", "ediv": 1,
        "rand": "0807060504030201"}}}}
        """,
        "Identity[0]: C0:11:22:33:44:55 (random)\nIRK[0]: 0xa1a2a3a4a5a6a7a8a9aaabacadaeafb0\n"
            + "Legacy LTK: 0x0102030405060708090a0b0c0d0e0f10 (central)\n",
        "D (1) NimBLE: peer_addr=0x55 0x44 0x33 0x22 0x11 0xc0\nediv=7 rand=0x9 ltk= 100f0e0d0c0b0a090807060504030201\n",
        "nrfutil ble-sniffer sniff --sc-ltk-key 0x0102030405060708090a0b0c0d0e0f10 --irk-key=0x01\n",
    ]
}
