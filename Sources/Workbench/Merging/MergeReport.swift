import Bytes
package import Captures
import Conversation

/// The result of a merge: the clocks, and what the inputs have in common.
package struct MergeReport: Sendable {
    /// What one input was aligned by, and what of its connections was found in its base.
    private struct Row: Sendable {
        let file: String
        let clock: MergedClock
        let base: String?
        let isAir: Bool
        let isBaseAir: Bool
        var common = 0
        var baseOnly = 0
        var only = 0
    }

    private var rows: [Row] = []
    /// Packets in the merged file.
    package let packets: Int
    /// What the merged file could not hold.
    package let losses: [ConversionLoss]
    /// Problems of the inputs.
    package private(set) var warnings: [String] = []

    init(_ inputs: MergeInputs, packets: Int, losses: [ConversionLoss], readers: [CaptureReader]) {
        self.packets = packets
        self.losses = losses
        warnings = readers.flatMap { $0.warnings.map(\.description) }
        for input in inputs.order {
            let base = inputs.alignments[input]?.base
            var row = Row(
                file: inputs.files[input], clock: inputs.clock(of: input), base: base.map { inputs.files[$0] },
                isAir: inputs.views[input].side == .air, isBaseAir: base.map { inputs.views[$0].side == .air } ?? false)
            if let matching = inputs.matchings[input] {
                row.common = matching.matches.count
                row.baseOnly = matching.baseOnly.count
                row.only = matching.otherOnly.count
                if row.common * 2 < row.common + row.baseOnly + row.only {
                    warnings.append(
                        "\(row.file): of the PDUs of common connections, less than half are in both captures; "
                            + "are they of one time?")
                }
                if row.common == 0 {
                    warnings.append("\(row.file): it has no PDU of a connection in common with \(row.base ?? "")")
                }
            }
            rows.append(row)
        }
        for input in inputs.cutInputs {
            warnings.append(
                "\(inputs.files[input]): only its first \(ViewSurvey.sightingLimit) PDUs were compared")
        }
    }

    /// One line for each input.
    package var lines: [String] {
        rows.map { row in
            guard let base = row.base else { return "\(row.file): \(row.clock.description)" }
            let sum = row.common + row.baseOnly
            let share = sum == 0 ? "" : " of \(sum) (\((100 * Double(row.common) / Double(sum)).text(fixed: 1)) %)"
            let (one, other) = (Self.only(isAir: row.isBaseAir), Self.only(isAir: row.isAir))
            return "\(row.file): \(row.clock.description); \(row.common)\(share) PDUs of \(base) in both, "
                + "\(row.baseOnly) \(one), \(row.only) \(other)" + (one == other ? " here" : "")
        }
    }

    private static func only(isAir: Bool) -> String { isAir ? "heard only" : "sent only" }

    package var json: String {
        let inputs = rows.map { row in
            JSONValue.members([
                "file": .string(row.file),
                "side": .string(row.isAir ? "air" : "host"),
                "reference": .boolean(row.clock.isReference),
                "base": row.base.map { .string($0) },
                "offset": row.clock.isReference ? nil : .number(row.clock.offset.seconds),
                "drift_ppm": row.clock.isReference ? nil : .number(row.clock.drift),
                "aligned_by": row.clock.isReference ? nil : .integer(row.clock.common),
                "spread_ms": row.clock.isReference ? nil : .number(row.clock.spread),
                "common": row.base == nil ? nil : .integer(row.common),
                "base_only": row.base == nil ? nil : .integer(row.baseOnly),
                "only": row.base == nil ? nil : .integer(row.only),
            ])
        }
        return JSONValue.members(["packets": .integer(packets), "inputs": .array(inputs)]).text
    }
}
