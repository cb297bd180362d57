import Bytes
import Captures
import Conversation
import Dissection
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// Real captures that others recorded, read by us and by tshark: what both print must be the same, frame by frame, but
/// for the differences that `known-differences.tsv` lists with who is right.
///
/// The captures do not belong to the project: they lie beside it where it is developed.
@Suite(.enabled(if: SharedCaptures.areThere, "the folder ../shared/captures is not there"))
struct SharedCapturesTests {
    /// The command that is compared line for line.
    static let conversation = ["frame.number", "frame.time_epoch", "btatt.opcode", "btatt.handle", "btatt.value"]

    /// Further fields, compared where tshark is installed.
    static let further = [
        "frame.number", "frame.len", "frame.cap_len", "hci_h4.type", "hci_h4.direction", "bthci_cmd.opcode",
        "bthci_evt.code", "bthci_evt.le_meta_subevent", "bthci_evt.status", "bthci_acl.chandle", "bthci_acl.pb_flag",
        "bthci_acl.length", "btl2cap.cid", "btl2cap.length", "btatt.error_code", "btatt.starting_handle",
        "btatt.ending_handle", "btsmp.opcode", "btle.access_address", "btle.advertising_address",
        "btle.data_header.llid", "btle.control_opcode", "btcommon.eir_ad.entry.device_name", "btle_rf.channel",
    ]

    @Test(arguments: SharedCaptures.all)
    func theRecordedReadingIsOurs(_ capture: SharedCapture) async throws {
        // Columns of the file: as `conversation`, with the innermost protocol third.
        let theirs = try capture.tsharkRows().map { Array($0[..<2] + $0[3...]) }
        try await compare(capture, Self.conversation, theirs)
    }

    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"), arguments: SharedCaptures.all)
    func tsharkPrintsTheSameFields(_ capture: SharedCapture) async throws {
        try await compare(capture, Self.conversation, Tshark.fields(Self.conversation, of: capture.path))
        try await compare(capture, Self.further, Tshark.fields(Self.further, of: capture.path))
    }

    /// Every field of tshark that we have too, in every frame of every capture.
    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"))
    func tsharkPrintsTheSameOfEveryField() async throws {
        var comparison = try FieldComparison(FieldCatalog.all(plugins: .none).names)
        for capture in SharedCaptures.all {
            comparison.compare(
                "shared/\(capture.name)", ours: try await capture.rows(comparison.fields),
                theirs: try Tshark.fields(comparison.fields, of: capture.path))
        }
        for difference in comparison.differences.prefix(40) { Issue.record("\(difference)") }
        #expect(comparison.differences.isEmpty)
        #expect(comparison.agreed.count >= 120)
        #expect(comparison.unneeded(in: "shared") == [], "known differences that no longer occur")
    }

    /// Of packets that the recorder cut, all fields whose bytes were captured are there.
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

    /// Whether a difference of packets that were cut to a length is known.
    private static func isExpected(_ difference: String, _ length: Int) -> Bool {
        // In 20 bytes, the CONNECT_IND is cut in its access address: the first packet proves no connection by itself.
        if length == 20, difference.hasPrefix("shared/ll251-connection-encrypted.pcap, frame 2, btle.control") {
            return true
        }
        // From LE Connection Complete that was cut after the peer's address, tshark does not take it.
        let addresses = ["bluetooth.src", "bluetooth.dst", "bthci_acl.src.bd_addr", "bthci_acl.dst.bd_addr"]
        return difference.hasSuffix(", tshark's 00:00:00:00:00:00")
            && addresses.contains { difference.contains(", \($0): ours ") }
    }

    /// Compares what we print with tshark's rows; both begin with the frame's number.
    private func compare(_ capture: SharedCapture, _ fields: [String], _ theirs: [[String]]) async throws {
        let ours = try await capture.rows(fields)
        #expect(ours.count == theirs.count, "\(capture.name): as many frames")
        let known = try KnownDifference.all().filter { $0.file == capture.name && fields.contains($0.field) }
        var unseen = Set(known)
        for (our, their) in zip(ours, theirs) where our != their {
            for (column, field) in fields.enumerated() where our[column] != their[column] {
                // tshark leaves the value empty where it decodes it into named fields.
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

    /// tshark's reading that lies beside the capture, without its heading.
    func tsharkRows() throws -> [[String]] {
        let text = try String(contentsOfFile: path + ".tshark.tsv", encoding: .utf8)
        return Array(Self.rows(text).dropFirst())
    }

    /// What `decode -T fields` prints, of the capture or of a changed copy.
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

/// A field of a frame that tshark prints differently, and why.
struct KnownDifference: Hashable {
    var file: String
    var frame: String
    var field: String

    static func all() throws -> [KnownDifference] {
        try SharedCapture.rows(Repository.text("Tests/InteropTests/known-differences.tsv")).dropFirst()
            .map { KnownDifference(file: $0[0], frame: $0[1], field: $0[2]) }
    }
}
