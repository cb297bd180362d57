import Bytes
import Captures
import Conformance
import Conversation
import Dissection
import Output
import PluginKit

/// The packets around a finding, as arrows between the endpoints of their connection.
struct FindingLadder {
    private struct Row {
        var number: Int
        var time: String
        /// `sent` by the central, `received` from the peripheral, `other` without a direction.
        var direction: String
        var summary: String
        var notes: [String]
        /// The packet's worst verdict or severity.
        var fault: String?
        var isOfFinding: Bool
    }

    private let index: CaptureIndex
    private let marks: FrameMarks
    private let lines: PacketLines

    /// Number of packets shown before and after those of the finding, and of the finding itself.
    private static let before = 5
    private static let after = 3
    private static let frameLimit = 5
    /// Maximum number of packets searched for a neighbour of the same connection.
    private static let reach = 20_000
    private static let textLimit = 240

    init(_ index: CaptureIndex, _ marks: FrameMarks) {
        (self.index, self.marks) = (index, marks)
        lines = PacketLines(index)
    }

    /// Whether a finding concerns a packet with keys or passkeys, whose bytes are masked.
    func isSecret(_ finding: Finding) -> Bool { finding.frames.contains { lines.hasSecrets($0) } }

    /// The ladder as HTML, with the numbers of its first and last packet; nil for a finding without a packet.
    func html(
        of finding: Finding, between names: (central: String, peripheral: String)
    ) -> (html: String, range: ClosedRange<Int>)? {
        let frames = finding.frames.sorted()
        let shown = frames.count <= Self.frameLimit ? frames : frames.prefix(Self.frameLimit - 1) + frames.suffix(1)
        var runs: [[Int]] = []
        for frame in shown {
            let run = neighbours(of: frame)
            // Adjacent runs are merged.
            if let last = runs.last?.last, let first = run.first, first <= last {
                runs[runs.count - 1] = Set(runs[runs.count - 1] + run).sorted()
            } else {
                runs.append(run)
            }
        }
        guard let first = runs.first?.first, let last = runs.last?.last else { return nil }
        var rows = ""
        for (place, run) in runs.enumerated() {
            if place > 0, let before = runs[place - 1].last, let next = run.first {
                let count = (next - before - 1).counted("frame")
                rows += "<tr class=\"pause\"><td></td><td>⋮ \(count)</td></tr>\n"
            }
            for number in run {
                if let row = row(number, isOfFinding: frames.contains(number)) { rows += Self.html(row) }
            }
        }
        let hasEnds = finding.moments.contains { $0.connection > 0 }
        let isolated = "<bdi>\(names.central.html(60))</bdi><bdi>\(names.peripheral.html(60))</bdi>"
        let ends = "<span class=\"ends\">\(isolated)</span>"
        let table = """
            <table class="ladder"><thead><tr><th>frame <span>time</span></th><th>\(hasEnds ? ends : "content")</th></tr></thead>
            <tbody>
            \(rows)</tbody></table>
            """
        return (table, first...last)
    }

    // MARK: - Packets

    /// The packets of the same connection around one, in order.
    private func neighbours(of number: Int) -> [Int] {
        guard let found = try? index.packet(number: number) else { return [] }
        let own = found.window.batch.metadata[found.place]
        func isNear(_ metadata: FrameMetadata) -> Bool {
            own.connection >= 0
                ? metadata.isOfConnection && metadata.connection == own.connection
                : metadata.sender == own.sender && metadata.kind == own.kind && own.sender >= 0
        }
        let before = neighbours(of: found, step: -1, limit: Self.before, where: isNear)
        return before.reversed() + [number] + neighbours(of: found, step: 1, limit: Self.after, where: isNear)
    }

    /// The nearest packets before or after a packet that satisfy a condition, nearest first.
    private func neighbours(
        of packet: (window: PacketWindow, place: Int), step: Int, limit: Int, where isNear: (FrameMetadata) -> Bool
    ) -> [Int] {
        var (window, place) = packet
        var numbers: [Int] = []
        var looked = 0
        while numbers.count < limit, looked < Self.reach {
            place += step
            looked += 1
            if !window.batch.metadata.indices.contains(place) {
                guard let next = try? step > 0 ? index.window(after: window) : index.window(before: window),
                    !next.batch.metadata.isEmpty
                else { break }
                (window, place) = (next, step > 0 ? 0 : next.batch.metadata.count - 1)
            }
            let metadata = window.batch.metadata[place]
            if isNear(metadata) { numbers.append(metadata.packet.number) }
        }
        return numbers
    }

    private func row(_ number: Int, isOfFinding: Bool) -> Row? {
        lines.visit(number) { frame, metadata, batch in
            var time = TextWriter(capacity: 24)
            time.writeSeconds(nanoseconds: metadata.packet.time.nanoseconds(since: batch.start), decimals: 6)
            let direction = metadata.directionFromCentral(in: batch)
            var row = Row(
                number: number, time: String(decoding: time.bytes, as: UTF8.self),
                direction: metadata.isOfConnection && direction != .unknown ? direction.name : "other",
                summary: lines.summary(frame, metadata, batch), notes: [], isOfFinding: isOfFinding)
            if let request = batch.request(of: metadata) {
                row.notes.append("answers frame \(request.frame)")
            }
            let rules = Set(marks[number].map(\.rule.id)).sorted()
            row.fault = marks.verdict(of: number) ?? frame.worstSeverity?.rawValue
            if !rules.isEmpty { row.notes.append(rules.prefix(6).joined(separator: ", ")) }
            row.notes += frame.diagnoses.filter { $0.severity != .note }.prefix(2).map(\.text)
            return row
        }
    }

    // MARK: - HTML

    private static let signs = ["fail": "✕ ", "error": "! ", "warning": "△ ", "waived": "○ "]

    private static func html(_ row: Row) -> String {
        let sender = ["sent": "from the central: ", "received": "from the peripheral: "][row.direction] ?? ""
        let sign = row.fault.flatMap { signs[$0] } ?? ""
        let notes = row.notes.map { $0.html(200) }.joined(separator: " · ")
        let note = sign.isEmpty && notes.isEmpty ? "" : "<small>\(sign)\(notes)</small>"
        return """
            <tr\(row.isOfFinding ? " class=\"own\"" : "")><td class="number">\(row.number) <span>\(row.time)</span></td>\
            <td class="\(row.direction) \(row.fault ?? "")"><span class="unseen">\(sender)</span>\
            <bdi>\(row.summary.html(textLimit))</bdi>\(note)</td></tr>

            """
    }
}
