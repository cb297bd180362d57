import Bytes
import Captures
import Conformance
import PluginKit
import TestKit

/// What the rules make of 200 mutations of a good session, as the page docs/mutations.md.
struct MutationTable {
    /// One mutation with the rules that it breaks and the session does not.
    struct Row {
        var mutation: ProtocolMutation
        var rules: [String]
    }

    static let seed: UInt64 = 20_260_301
    static let count = 200

    let rows: [Row]

    init() throws {
        let session = try Self.session()
        let before = Self.broken(session)
        var random = SplitMix64(seed: Self.seed)
        rows = (0..<Self.count).map { _ in
            let mutation = ProtocolMutation(of: session.packets, &random)
            let recording = Recording(.hci)
            recording.packets = mutation.packets
            return Row(mutation: mutation, rules: Self.broken(recording).subtracting(before).sorted())
        }
    }

    /// The session of captures/aquavate-sync.
    static func session() throws -> Recording {
        let reader = try CaptureReader(path: Repository.path("captures/aquavate-sync/capture.btsnoop"))
        let recording = Recording(.hci)
        while let batch = try reader.next() {
            recording.packets += batch.packets.map {
                .init(time: $0.time, direction: $0.direction, adapter: $0.adapter, bytes: Array(batch.bytes[$0.range]))
            }
        }
        return recording
    }

    /// Rules that a session breaks, of any severity.
    private static func broken(_ recording: Recording) -> Set<String> {
        let report = CheckedCapture(recording, plugins: aquavate, core: CoreRules.all).report
        return Set(
            report.results.filter { $0.verdict == .fail || $0.verdict == .warning }.map { report.rules[$0.rule].id })
    }

    // MARK: - The page

    var text: String {
        let detected = rows.filter { !$0.rules.isEmpty }
        let missed = rows.filter(\.rules.isEmpty)
        let harmless = missed.filter { Harmlessness.reason(of: $0.mutation) != nil }
        let meaningful = rows.count - harmless.count
        var lines = [
            "# Mutations", "",
            "A good session of an Aquavate puck, `captures/aquavate-sync`, is changed in \(rows.count) ways that follow "
                + "from",
            "the seed \(Self.seed): a byte of a value is changed, a PDU is dropped, swapped with one of the next three,",
            "repeated, or delayed by up to 20 s. Each of the sessions is judged by the rules of the puck and of the",
            "specification. `AquavateTests/MutationTests` makes this page, and holds it to the rules:",
            "`GATTBENCH_REWRITE_GOLDEN=1 swift test --filter MutationTests` writes it anew.", "",
            "Of \(meaningful) mutations that change what the session says, **\(detected.count)** are detected, "
                + "\(detected.count * 100 / max(1, meaningful)) %.",
            "The other \(harmless.count) leave a session that a puck and a phone may have; the last table says why.",
            "",
            "| mutation | made | detected | missed | of no consequence |", "|---|---|---|---|---|",
        ]
        for kind in ProtocolMutation.Kind.allCases {
            let some = rows.filter { $0.mutation.kind == kind }
            let found = some.count { !$0.rules.isEmpty }
            let none = some.count { $0.rules.isEmpty && Harmlessness.reason(of: $0.mutation) != nil }
            lines.append(
                "| \(kind.rawValue) | \(some.count) | \(found) | \(some.count - found - none) | \(none) |")
        }
        lines += [
            "", "## By which rules", "", "| rule | mutations that it detects | that it alone detects |",
            "|---|---|---|",
        ]
        for rule in Set(rows.flatMap(\.rules)).sorted() {
            let some = detected.filter { $0.rules.contains(rule) }
            lines.append("| \(rule) | \(some.count) | \(some.count { $0.rules.count == 1 }) |")
        }
        lines += ["", "## Detected", "", "| frame | mutation | rules |", "|---|---|---|"]
        lines += detected.map { "| \($0.cells) | \($0.rules.joined(separator: ", ")) |" }
        lines += ["", "## Not detected", "", "| frame | mutation | why |", "|---|---|---|"]
        lines += missed.map { "| \($0.cells) | \(Harmlessness.reason(of: $0.mutation) ?? "**missed**") |" }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension MutationTable.Row {
    fileprivate var cells: String { "\(mutation.frame) | \(mutation.kind.rawValue): \(mutation.title)" }
}
