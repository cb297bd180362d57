import Conversation
import Dissection
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// tshark, if installed, decodes the same ATT conversation in every case. `captures/known-differences.md` lists the
/// differences and which program is right.
@Suite(.disabled(if: Repository.isRewritten, "the cases are being rewritten"))
struct TsharkTests {
    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"), arguments: CaptureCase.all)
    func tsharkReadsTheSameConversation(_ example: CaptureCase) async throws {
        let fields = ["frame.number", "btatt.opcode", "btatt.handle", "btatt.value"]
        let theirs = byFrame(try Tshark.fields(fields, of: example.path))
        var options = try DecodeOptions(example)
        options.format = .fields
        options.fields = fields
        let ours = byFrame(Tshark.rows(try await decode(example.path, options)))
        let known = try KnownDifferences.ofFrames(in: example.name)
        var unseen = known
        for number in Set(ours.keys).union(theirs.keys).sorted() {
            let our = ours[number] ?? []
            let their = theirs[number] ?? []
            let differing = fields.indices.dropFirst().filter { column in
                let (our, their) = (our[safely: column] ?? "absent", their[safely: column] ?? "absent")
                // Where tshark decodes a value into named fields, it leaves btatt.value empty.
                return our != their && !(fields[column] == "btatt.value" && their.isEmpty)
            }
            if differing.isEmpty { continue }
            unseen.remove(number)
            if known.contains(number) { continue }
            Issue.record("\(example.name), frame \(number): ours \(our), tshark's \(their)")
        }
        #expect(unseen.isEmpty, "\(example.name): known differences that tshark no longer has: \(unseen.sorted())")
    }

    /// Compares every field that both tshark and gattbench have, in every frame of every case.
    @Test(.enabled(if: Tshark.path != nil, "tshark is not installed"))
    func tsharkPrintsTheSameFields() async throws {
        var comparison = try FieldComparison(FieldCatalog.all(plugins: .none).names)
        for example in CaptureCase.all {
            var options = try DecodeOptions(example)
            options.format = .fields
            options.fields = comparison.fields
            comparison.compare(
                "captures/\(example.name)", ours: Tshark.rows(try await decode(example.path, options)),
                theirs: try Tshark.fields(comparison.fields, of: example.path))
        }
        for difference in comparison.differences.prefix(40) { Issue.record("\(difference)") }
        #expect(comparison.differences.isEmpty)
        #expect(comparison.agreed.count >= 120)
        #expect(comparison.unneeded(in: "captures") == [], "known differences that no longer occur")
    }

    private func byFrame(_ rows: [[String]]) -> [Int: [String]] {
        Dictionary(rows.map { (Int($0[0]) ?? 0, $0) }) { first, _ in first }
    }

    @Test func knownDifferencesNameCasesThatAreThere() throws {
        let names = try Set(KnownDifferences.all().map(\.name))
        #expect(names.subtracting(CaptureCase.all.map(\.name)).isEmpty)
    }
}

/// The table of `captures/known-differences.md`: case, frames, difference, which program is right and why.
enum KnownDifferences {
    struct Row {
        var name: String
        var frames: Set<Int>
    }

    static func all() throws -> [Row] {
        let url = CaptureCase.folder.appending(path: "known-differences.md")
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `") }
            .map { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                return Row(
                    name: cells[0].trimmingCharacters(in: ["`"]),
                    frames: Set(
                        cells[1].split(separator: ",").compactMap {
                            Int($0.trimmingCharacters(in: .whitespaces))
                        }))
            }
    }

    static func ofFrames(in name: String) throws -> Set<Int> {
        try all().filter { $0.name == name }.reduce(into: []) { $0.formUnion($1.frames) }
    }
}

extension [String] {
    subscript(safely index: Int) -> String? { indices.contains(index) ? self[index] : nil }
}
