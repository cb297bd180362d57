import Bytes
import Captures
import Conversation
import Dissection
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Third-party captures of real devices, decoded by gattbench and by tshark: both outputs must match frame by frame,
/// except for the differences that `known-differences.tsv` lists with which program is right.
///
/// The captures are not part of the project; they lie next to the repository during development.
@Suite(.enabled(if: SharedCaptures.areThere, "the folder ../shared/captures is not there"))
struct SharedCapturesTests {
    /// The fields that are compared line by line.
    static let conversation = ["frame.number", "frame.time_epoch", "btatt.opcode", "btatt.handle", "btatt.value"]

    /// Further fields, compared if tshark is installed.
    static let further = [
        "frame.number", "frame.len", "frame.cap_len", "hci_h4.type", "hci_h4.direction", "bthci_cmd.opcode",
        "bthci_evt.code", "bthci_evt.le_meta_subevent", "bthci_evt.status", "bthci_acl.chandle", "bthci_acl.pb_flag",
        "bthci_acl.length", "btl2cap.cid", "btl2cap.length", "btatt.error_code", "btatt.starting_handle",
        "btatt.ending_handle", "btsmp.opcode", "btle.access_address", "btle.advertising_address",
        "btle.data_header.llid", "btle.control_opcode", "btcommon.eir_ad.entry.device_name", "btle_rf.channel",
    ]

    @Test(arguments: SharedCaptures.all)
    func theRecordedReadingIsOurs(_ capture: SharedCapture) async throws {
        // Columns of the file: those of `conversation`, with the innermost protocol in third place.
        let theirs = try capture.tsharkRows().map { Array($0[..<2] + $0[3...]) }
        try await compare(capture, Self.conversation, theirs)
    }

    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"), arguments: SharedCaptures.all)
    func tsharkPrintsTheSameFields(_ capture: SharedCapture) async throws {
        try await compare(capture, Self.conversation, Tshark.fields(Self.conversation, of: capture.path))
        try await compare(capture, Self.further, Tshark.fields(Self.further, of: capture.path))
    }

    /// Compares every field that both tshark and gattbench have, in every frame of every capture.
    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"))
    func tsharkPrintsTheSameOfEveryField() async throws {
        var comparison = try FieldComparison(FieldCatalog.all(plugins: .none).names)
        for capture in SharedCaptures.all {
            let opened = try capture.opened()
            comparison.compare(
                "shared/\(capture.name)",
                ours: try await capture.rows(comparison.fields).filter { !opened.contains($0[0]) },
                theirs: try Tshark.fields(comparison.fields, of: capture.path).filter { !opened.contains($0[0]) })
        }
        for difference in comparison.differences.prefix(40) { Issue.record("\(difference)") }
        #expect(comparison.differences.isEmpty)
        #expect(comparison.agreed.count >= 120)
        #expect(comparison.unneeded(in: "shared") == [], "known differences that no longer occur")
    }

    /// Frames that we open, and tshark does not, are those that the recorder has opened in its own copy: the fields are
    /// what tshark reads there.
    @Test(arguments: [
        ("ll256-legacy-passkey-pairing-encrypted.pcap", "ll256-pairing-decrypted.pcap"),
        ("nordic272-legacy-passkey-pairing.pcap", "nordic272-pairing-decrypted.pcap"),
    ])
    func openedFramesReadAsInTheRecordersCopy(encrypted: String, decrypted: String) async throws {
        let names = SharedCaptures.all.map(\.name)
        guard names.contains(encrypted), names.contains(decrypted) else { return }
        let capture = SharedCapture(name: encrypted)
        let opened = try capture.opened()
        // 81 PDUs, of which one was heard twice.
        #expect(opened.count == 82)
        let theirs = try SharedCapture(name: decrypted).tsharkRows().map { Array($0[..<2] + $0[3...]) }
        let ours = try await capture.rows(Self.conversation)
        let known = try KnownDifference.all().filter { $0.file == decrypted }
        for (our, their) in zip(ours, theirs) where opened.contains(our[0]) {
            for (column, field) in Self.conversation.enumerated() where our[column] != their[column] {
                // tshark leaves the value empty if it decodes it into named fields.
                if field == "btatt.value", their[column].isEmpty { continue }
                if known.contains(where: { $0.frame == our[0] && $0.field == field }) { continue }
                Issue.record("\(encrypted), frame \(our[0]), \(field): ours \(our[column]), theirs \(their[column])")
            }
        }
    }

    /// Truncated packets show all fields whose bytes were captured.
    @Test(
        .enabled(if: Tshark.path != nil && Tshark.editcap != nil, "tshark and editcap are not installed"),
        arguments: [20, 24])
    func tsharkPrintsNoMoreOfCutPackets(length: Int) async throws {
        let folder = try TemporaryFolder()
        var comparison = try FieldComparison(FieldCatalog.all(plugins: .none).names, ofCutPackets: true)
        var captures = 0
        for capture in SharedCaptures.all {
            let cut = folder.path(capture.name)
            guard try Tshark.cut(capture.path, to: length, at: cut) else { continue }
            captures += 1
            comparison.compare(
                "shared/\(capture.name)", ours: try await capture.rows(comparison.fields, of: cut),
                theirs: try Tshark.fields(comparison.fields, of: cut))
        }
        let differences = comparison.differences.filter { !Self.isExpected("\($0)", length) }
        for difference in differences.prefix(40) { Issue.record("\(difference)") }
        #expect(differences.isEmpty)
        // editcap does not read PacketLogger.
        #expect(captures == SharedCaptures.all.count { !$0.name.hasSuffix(".pklg") })
        #expect(comparison.agreed.isSuperset(of: ["btatt.opcode", "btsmp.opcode", "btle.control_opcode"]))
    }

    /// Whether a difference for packets truncated to this length is known.
    private static func isExpected(_ difference: String, _ length: Int) -> Bool {
        // 20 bytes cut the CONNECT_IND within its access address: the first packet alone does not prove a connection.
        if length == 20, difference.hasPrefix("shared/ll251-connection-encrypted.pcap, frame 2, btle.control") {
            return true
        }
        // PDUs that are cut are not opened; tshark takes ciphertext for plain text.
        let sealed = ["1287", "1290", "1367", "1550", "1589"].map {
            "shared/ll256-legacy-passkey-pairing-encrypted.pcap, frame \($0), "
        }
        if sealed.contains(where: { difference.hasPrefix($0) }), difference.contains(": ours , ") { return true }
        // tshark does not use an LE Connection Complete that is truncated after the peer's address.
        let addresses = ["bluetooth.src", "bluetooth.dst", "bthci_acl.src.bd_addr", "bthci_acl.dst.bd_addr"]
        return difference.hasSuffix(", tshark's 00:00:00:00:00:00")
            && addresses.contains { difference.contains(", \($0): ours ") }
    }

    /// Compares our output with tshark's rows; both begin with the frame number.
    private func compare(_ capture: SharedCapture, _ fields: [String], _ theirs: [[String]]) async throws {
        let ours = try await capture.rows(fields)
        let opened = try capture.opened()
        #expect(ours.count == theirs.count, "\(capture.name): as many frames")
        let known = try KnownDifference.all().filter { $0.file == capture.name && fields.contains($0.field) }
        var unseen = Set(known)
        for (our, their) in zip(ours, theirs) where our != their && !opened.contains(our[0]) {
            for (column, field) in fields.enumerated() where our[column] != their[column] {
                // tshark leaves the value empty if it decodes it into named fields.
                if field == "btatt.value", their[column].isEmpty { continue }
                if let difference = known.first(where: { $0.frame == our[0] && $0.field == field }) {
                    unseen.remove(difference)
                    continue
                }
                Issue.record(
                    "\(capture.name), frame \(our[0]), \(field): ours \(our[column]), tshark's \(their[column])")
            }
        }
        #expect(unseen.isEmpty, "\(capture.name): known differences that are no longer there")
    }
}

/// A capture of the shared folder.
struct SharedCapture: Sendable, CustomTestStringConvertible {
    var name: String

    var path: String { SharedCaptures.folder.appending(path: name).path }
    var testDescription: String { name }

    /// The stored tshark output next to the capture, without its header row.
    func tsharkRows() throws -> [[String]] {
        let text = try String(contentsOfFile: path + ".tshark.tsv", encoding: .utf8)
        return Array(Self.rows(text).dropFirst())
    }

    /// The numbers of the frames that are opened by keys found in the capture.
    func opened() throws -> Set<String> {
        var frames: Set<String> = []
        var tracker = Tracker()
        let reader = try CaptureReader(path: path)
        while let packets = try reader.next() {
            for metadata in tracker.track(packets).metadata where metadata.plain.isPresent {
                frames.insert("\(metadata.packet.number)")
            }
        }
        return frames
    }

    /// The output of `decode -T fields`, for the capture or a changed copy.
    func rows(_ fields: [String], of copy: String? = nil) async throws -> [[String]] {
        var options = DecodeOptions()
        options.plugins = try PluginLibrary.builtIn().plugins
        options.format = .fields
        options.fields = fields
        var text: [UInt8] = []
        _ = try await DecodeJob(options).run(CaptureReader(path: copy ?? path)) { page, _ in
            text += ByteReader(page).restBytes
            return true
        }
        return Self.rows(String(decoding: text, as: UTF8.self))
    }

    static func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}

enum SharedCaptures {
    static let folder = Repository.shared.appending(path: "captures")

    static let all: [SharedCapture] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.sorted().filter { files.contains($0 + ".tshark.tsv") }.map { SharedCapture(name: $0) }
    }()

    static let areThere = !all.isEmpty
}

/// A field of a frame that tshark prints differently, with the reason.
struct KnownDifference: Hashable {
    var file: String
    var frame: String
    var field: String

    static func all() throws -> [KnownDifference] {
        try SharedCapture.rows(Repository.text("Tests/InteropTests/known-differences.tsv")).dropFirst()
            .map { KnownDifference(file: $0[0], frame: $0[1], field: $0[2]) }
    }
}
