import Conversation
import Dissection
import PDUTestKit
import TestKit
import Testing
import Workbench

/// User Passkey Request Reply with the passkey 123456.
private let passkeyReply = "01 2e04 0a 665544332211 40e20100"

@Test(arguments: DecodeOptions.Format.allCases)
func aPasskeyIsMasked(format: DecodeOptions.Format) async throws {
    let capture = try Capture([(.sent, passkeyReply)])
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.format = format
    options.showsTree = true
    if format == .fields || format == .csv { options.fields = ["bthci_cmd.passkey"] }
    let text = try await capture.decode(options).joined(separator: "\n")
    #expect(!text.contains("123456"))
    #expect(text.contains("(masked)"))
}

/// Key material in other places: a1a2…b0 or part of it.
@Test(arguments: [
    // Identity Information on the BR/EDR Security Manager channel, 0x0007
    ["02 0b20 1500 1100 0700 08 a1a2a3a4a5a6a7a8a9aaabacadaeafb0"],
    // Encryption Information in two ACL packets.
    ["02 4020 0a00 1100 0600 06 a1a2a3a4a5", "02 4010 0b00 a6a7a8a9aaabacadaeafb0"],
    // Identity Information without its last byte.
    ["02 4020 1400 1000 0600 08 a1a2a3a4a5a6a7a8a9aaabacadaeaf"],
    // LE Set Advertising Data with a Security Manager TK Value: the value and the enclosing data
    ["01 0820 20 12 1110 a1a2a3a4a5a6a7a8a9aaabacadaeafb0 00000000000000000000000000"],
    // Broadcast_Code in two LE Extended Advertising Reports.
    [
        "04 3e26 0d 01 2100 01 554433221100 01 00 01 7f c4 0000 00 000000000000 0c 112d a1a2a3a4a5a6a7a8a9aa",
        "04 3e20 0d 01 0100 01 554433221100 01 00 01 7f c4 0000 00 000000000000 06 abacadaeafb0",
    ],
    // LE Advertising Report with a Broadcast_Code.
    ["04 3e1e 02 01 00 01 554433221100 12 112d a1a2a3a4a5a6a7a8a9aaabacadaeafb0 c4"],
])
func keyMaterialIsMasked(packets: [String]) async throws {
    let capture = try Capture(packets.map { (.received, $0) })
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.showsTree = true
    options.showsBytes = true
    for format in [DecodeOptions.Format.text, .ndjson] {
        options.format = format
        let text = try await capture.decode(options).joined(separator: "\n").replacing(" ", with: "")
        #expect(text.contains("(masked)"))
        #expect(!text.contains("a1a2") && !text.contains("a9aa") && !text.contains("aeaf"))
    }
}

/// The value of Encrypted Data Key Material (0x2B88) at 0x0003, a1a2…b8: indicated, read, and read by its type.
@Test(arguments: [
    ["02 4020 1f00 1b00 0400 1d 0300 a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8"],
    [
        "02 4000 0700 0300 0400 0a 0300",
        "02 4020 1d00 1900 0400 0b a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8",
    ],
    [
        "02 4000 0b00 0700 0400 08 0100 ffff 882b",
        "02 4020 2000 1c00 0400 09 1a 0300 a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8",
    ],
])
func keyMaterialOfACharacteristicIsMasked(packets: [String]) async throws {
    let discovery = ["02 4000 0b00 0700 0400 08 0100 ffff 0328", "02 4020 0d00 0900 0400 09 07 0200 22 0300 882b"]
    let capture = try Capture(
        (discovery + packets).map { ($0.hasPrefix("02 4000") ? .sent : .received, $0) })
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.showsTree = true
    options.showsBytes = true
    options.fields = ["btatt.value"]
    for format in [DecodeOptions.Format.text, .ndjson, .fields] {
        options.format = format
        let text = try await capture.decode(options).joined(separator: "\n").replacing(" ", with: "")
        #expect(text.contains("(masked)"))
        #expect(!text.contains("a1a2") && !text.contains("a9aa") && !text.contains("b7b8"))
    }
}

@Test func aRecordThatNobodyHasDescribedIsMasked() async throws {
    let header = "69a42a40 00000000"
    let bytes = hex("0000000c \(header) 00 030c00  00000010 \(header) 77 cafecafecafe01")
    let folder = try TemporaryFolder()
    let path = try folder.file("capture", bytes)
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.showsTree = true
    options.showsBytes = true
    for format in [DecodeOptions.Format.text, .ndjson] {
        options.format = format
        let text = try await decode(path, options)
        #expect(text.contains("(masked)"))
        #expect(!text.replacing(" ", with: "").contains("cafe"))
    }
}

@Test func aHexDumpMasksAPasskeyAndNothingElse() async throws {
    let capture = try Capture([(.sent, passkeyReply)])
    var options = DecodeOptions()
    options.plugins = try PluginLibrary.builtIn().plugins
    options.showsBytes = true
    let text = try await capture.decode(options).joined(separator: "\n")
    #expect(text.contains("0000  01 2e 04 0a 66 55 44 33 22 11 ** ** ** **        ....fUD3\".****"))
}

@Test(arguments: [
    "btsmp.long_term_key", "btsmp.id_resolving_key == a1:a2", "btsmp.signature_key[0] == a1",
    "btatt || len(bthci_cmd.le_long_term_key) == 16", "count(bthci_cmd.passkey) > 0", "btsmp.long_term_key contains a1",
])
func noFilterAsksForKeyMaterial(text: String) {
    #expect {
        _ = try DisplayFilter(text, catalog: .all(plugins: .none))
    } throws: { error in
        (error as? FilterError)?.message.contains("is key material") == true
    }
}

/// A name that fields with and without key material share stands for those without.
@Test func aFilterAsksForAdvertisingDataWithoutKeys() throws {
    _ = try DisplayFilter("btcommon.eir_ad.entry.data == a1:a2", catalog: .all(plugins: .none))
}
