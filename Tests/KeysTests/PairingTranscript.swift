import Bluetooth
import BluetoothCrypto
import Keys
import PDUTestKit

/// The commands of one pairing, and the key of its connection.
///
/// They were made by a script with the AES, AES-CMAC and P-256 of Python's cryptography, by the formulas of Vol 3, Part H,
/// 2.2, from a generator with a seed; none of our functions took part. A line is the side, I or R, and a command.
struct PairingTranscript {
    static let initiator = DeviceAddress(Address(value: 0xC1A2_B3C4_D5E6), .random)
    static let responder = DeviceAddress(Address(value: 0x5A4B_3C2D_1E0F), .public)

    var lines: [Line]
    /// Short Term Key or Long Term Key.
    var key: SecretKey

    struct Line {
        var fromInitiator: Bool
        var command: [UInt8]

        init(_ fromInitiator: Bool, _ command: [UInt8]) {
            self.fromInitiator = fromInitiator
            self.command = command
        }
    }

    private init(key: String, _ text: String) {
        self.key = SecretKey(number(key))
        lines = text.split(separator: "\n").map { Line($0.hasPrefix("I"), hex(String($0.dropFirst(2)))) }
    }

    /// The private keys of `privateKeys`, of the initiator and the responder.
    static let privateKeyOfInitiator = hex("1122334455667788990011223344556677889900112233445566778899001122")
    static let privateKeyOfResponder = hex("0badcafe0badcafe0badcafe0badcafe0badcafe0badcafe0badcafe0badcafe")

    /// Neither side asks for MITM protection: the Temporary Key is 0.
    static let justWorks = PairingTranscript(
        key: "0a9d44564ca3b87725ae6fe07c797e76",
        """
        I 01030001100707
        R 02030001100707
        I 034cd7c9ba9a9cdd25fb90d175cbfd1a63
        R 038816aa96001e102cfe58339bc0bc2c6e
        I 04fe1b14343b106980550caef9618a9261
        R 0462b8a158e9f0fcf8e6e9d6a12a8161e5
        """)

    /// Passkey 031337 is entered on one side; keys have 10 bytes.
    static let passkeyEntry = PairingTranscript(
        key: "000000000000964f42ace24d69cf1d23",
        """
        I 01040005100707
        R 020000050a0707
        I 037058a3a80a03021330b7375e63ed3742
        R 03a6ef6483d279099f3f64419208a39a35
        I 044890afe0b0ac88b8e57b47b993f3cfc7
        R 04da1a4658622ff19b46db76078d954e50
        """)

    /// The Temporary Key 0123…cdef is exchanged out of band.
    static let legacyOutOfBand = PairingTranscript(
        key: "ce8fbc940795e4c8c3a48f69336d4d6b",
        """
        I 01030105100707
        R 02030105100707
        I 037a22c2c8524f0da82c22ea6f177b7b5d
        R 03ac1d4c5f3ca582597f41731859d01d60
        I 04026355459390c87cc36492adbb4bb95c
        R 04ff72b36ba95d5ec73fc31a98c7fd59a0
        """)

    /// LE Secure Connections, Just Works; the initiator has the debug key pair.
    static let debugInitiator = PairingTranscript(
        key: "3280d61c84e28af501169a6cb3811afb",
        """
        I 01030009100707
        R 02030009100707
        I 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc2456376\
        5c15525abf9a32636deb2a65499c80dc
        R 0ca754221719ca01d7784018de1651a0be56db5e6a632090a2cb02a2968785f994f13db0757f1a3cdece05697ea7475580\
        2170b19034461e3a6b1e4051e2d41714
        R 0367e27a7f4dabcbc646396619a8495067
        I 04f2e4d9af707c289904b184cfd6dc3c3b
        R 04fadf6031265b9716fc96170a27b1519d
        I 0dcdea18afda71c70b821e3b04d817fb91
        R 0dee7a069c5be8d1352f8319caeea4b159
        """)

    /// Numeric Comparison; the responder has the debug key pair; keys have 12 bytes.
    static let debugResponder = PairingTranscript(
        key: "00000000a10388caf956114eb0da6c35",
        """
        I 0104000d0c0707
        R 0201000d100707
        I 0ce9fe9502456ccd66c774a76f3586f519d48d18a24ba9faec2c928a3170e31364db6b0b2ba9a0c7bb2bc8af94300e91fc\
        ff2c363f665cef1c8f0a7b55e09cce5d
        R 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc2456376\
        5c15525abf9a32636deb2a65499c80dc
        R 03d1224a26aaec8435e9e8e4fca7bde7d1
        I 0441ec61502ae1fc8851a264abb921a5c0
        R 049573164a9eeb0203b0f2b5d2a7977bac
        I 0d68165053b387f217104a5ea4101ae718
        R 0d5d918a55e477f6696b3887a2e257bc8a
        """)

    /// Just Works with key pairs of their own.
    static let privateKeys = PairingTranscript(
        key: "33fff9ae47e3cd244326886e1ce1d4e3",
        """
        I 01030009100707
        R 02030009100707
        I 0ce9fe9502456ccd66c774a76f3586f519d48d18a24ba9faec2c928a3170e31364db6b0b2ba9a0c7bb2bc8af94300e91fc\
        ff2c363f665cef1c8f0a7b55e09cce5d
        R 0ca754221719ca01d7784018de1651a0be56db5e6a632090a2cb02a2968785f994f13db0757f1a3cdece05697ea7475580\
        2170b19034461e3a6b1e4051e2d41714
        R 031d267565fcb7822e76d9353a891cd4a8
        I 0496772783c8c8d2761eac708b0f3b5607
        R 0448266838ddec9d4f6ebeb44008731892
        I 0de2b5d5353929bb99bb8dacb1c5428f3b
        R 0d688eb219175c1c748ea654318c8199e4
        """)

    /// The responder's random number is exchanged out of band; the initiator has the debug key pair.
    static let secureOutOfBand = PairingTranscript(
        key: "d79f4097ee0b81b3310578223ec3d14c",
        """
        I 0103010d100707
        R 0203010d100707
        I 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc2456376\
        5c15525abf9a32636deb2a65499c80dc
        R 0ca754221719ca01d7784018de1651a0be56db5e6a632090a2cb02a2968785f994f13db0757f1a3cdece05697ea7475580\
        2170b19034461e3a6b1e4051e2d41714
        I 0479a5c140bb7aa4415c367095b9eabb84
        R 0404bee4f7ab81fe968e24341020003f96
        I 0dd21cf97a65e670f224602ebbfada755f
        R 0d5a5e022b3980935cf9a2c46f325b03b2
        """)

    /// Passkey 123456 in 20 rounds; the initiator has the debug key pair.
    static let securePasskeyEntry = PairingTranscript(
        key: "d03a89dbb983ecb8303c7b1566de1401",
        """
        I 0104000d100707
        R 0200000d100707
        I 0ce69d350e480103ccdbfdf4ac1191f4efb9a5f9e9a7832c5e2cbe97f2d203b0208bd28915d08e1c742430ed8fc2456376\
        5c15525abf9a32636deb2a65499c80dc
        R 0ca754221719ca01d7784018de1651a0be56db5e6a632090a2cb02a2968785f994f13db0757f1a3cdece05697ea7475580\
        2170b19034461e3a6b1e4051e2d41714
        I 034b7d0aedbd1be5614beccb2166c6e8a7
        R 03522dc1cd36779579b91d19336508dcbb
        I 0424c23874e9c8e3801943aaf51faf3b70
        R 042d808c68fae19a66e69c9cfdb058928d
        I 037cc2a1bf882b4977b6a4f0498347854e
        R 03a768ba17aac18b3df548eb9234dd94e3
        I 0439ae678d515b5b07443d65ec0db41c81
        R 0493e9f59b9bb36f0a06aceac69eb1c2e0
        I 030a94f8f77370243d7946abb36456309f
        R 032c8257b06d370e1f3484e1e530abbd67
        I 04cbeeac87e345923a6f5567212e9d7aaf
        R 04664288d84d299e5e0eb12942d8b60441
        I 03049b599bf36fdee1303ebf67f99bd549
        R 03ea24c9acddd84f8dae2ce0fb63415778
        I 0417f0e77daaebb6861b517272255a3355
        R 04a80f5fbaa9d0a2a305812369683dada3
        I 038be37e973782ab75a34a51a195c6e649
        R 035d8c2039d4e4b275c9a4be1bc97a96d0
        I 043afbb5fc65133757dc083c637e4695d1
        R 0413ef16dd228c092f15fc0d51058bd2bb
        I 031c4ccd7067b38ba84ca5608a0ee89543
        R 03546aa55691d88743c02786f0202fa49d
        I 0466df288eba6c1e33f21b8ca8755ad4f6
        R 04479d6f39be93ba2a88457b9c6cf85782
        I 038cad8bad3dc3053b99261e25b65b0302
        R 03852df97d96758044cfc53aa2334080f3
        I 0403a5c5a7e15ec917073114388a2f7f42
        R 042d23ed4952661ac776b83ed8a7b5dbec
        I 0365c547ae3439118b8eb39afc162c521c
        R 034fbe584e1c6bd65572dabb6aeab14d8b
        I 04b7591f2810d3af43cea155d123892f62
        R 04ae9b3deedccbbd13b8626f980a22fbf9
        I 036b123de1fa82fd9b655bbdeb0bc74bdc
        R 039c92898d59789346f61e4ec28bebecb3
        I 04d6bad644c059c089da099928dfe5395b
        R 04b485782ca916e2b0fc8dc44f1bfd008a
        I 035ed7cc2dccbaa2d3df1d80756454409c
        R 03f1d6bb02dc9375056bd3aa7644c56e50
        I 0469cb455de399edebe513324d20ae04b9
        R 0415d748aabfe6f1fcb5b96adea7cad5cd
        I 0362fe1c3e288c2d60a24b5bb95d415e26
        R 034731b0d90cc23e43f66397b49860d8e4
        I 0499e9eafe6b1b028a876a2d839beb204c
        R 04f1fe34e4f630831919775ab3d930f04c
        I 0326aea5cbb845809f3a1de1cb1f1cb5cb
        R 03320ae0b4c93c8f55ac2034c944eb873b
        I 045cfa76c56ff8a49f3879dba43de38e8c
        R 04b8d74119ae116fd075abb1c3bbc17f89
        I 03ba0f4cb875362418fea8cd85c40acdee
        R 039791e7064fcce07b2d13e993f4ec87af
        I 04153f00a973342e0dc9f6f009691dec50
        R 048ac8fd3b46a42223ab254c20f7b6a0dc
        I 0320f6a45b4a33e4816db3f9af7be054d0
        R 03498490c0b0b9c77784c8f0d6f51994bc
        I 043fb43212afa633beedd6cd0c3626fd2b
        R 04b43c6868e5bf41f2609341e646e6f2bc
        I 03bd21b2c8005e37ee5bfe682426c3a443
        R 03f57ccac68bac5fb96f99428f6e39e795
        I 049f685032ecb42538ced3715c5363a2d0
        R 044b7437e4e2971d60c9a382b2613b664d
        I 03bcd305dbbc89aeff29abadff5bb9ddef
        R 038dcb1c8188467510736b1c901084b167
        I 0414a06dd8bb6578c470e80f09c0499c6e
        R 0436be4a292a0c76938d5b078036dd706d
        I 0366401cfabbb78bae22aba564390fc448
        R 03c093cbd4e07d24a59b2deb2d897f26ab
        I 04780248a32e3d79e539bd6c0c07f13275
        R 04fcdeac7e107a48f73da45f50aaa347c8
        I 03b5ae982f83e8457df19ad84286366bf7
        R 0314749e144f0abe1935290932859111c4
        I 049f691e3191293fdb8c3273fd3cb9abb3
        R 041f390b7c543df0f97e2749dd27b7e78b
        I 03995593fd32dc2074bcfa79cac1ebd5cf
        R 0351fdcea282cad2c5803024d3ec3dacd1
        I 04b8ba857bad141abf625b4f683a76b278
        R 04727e269bff5da487d295f3981e571249
        I 037d1c463981b6987e6b733061f73730cc
        R 03ae7676209be876e8986929f886b50f69
        I 04316af664b68a3f94bd66f8389946d722
        R 04648b506e7f71091fc609aaf38d743109
        I 0da59aa208e106f1358f38c361e21da15e
        R 0d6d1d16818ec64f0c5574ed51fcc0f98a
        """)
}
