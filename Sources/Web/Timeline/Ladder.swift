import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import Dissection
import Output

/// The connection PDUs in a time range as arrows, or their counts if there are too many, and connection parameters
/// beside them.
struct Ladder {
    private let file: OpenFile
    private let range: ClosedRange<Double>
    private let connection: Int?
    private let limit: Int

    /// Maximum number of packets read; in longer ranges, the PDUs are counted by run.
    private static let reach = 50_000
    /// Number of parts into which a range is divided for counting.
    private static let parts = 400
    private static let gapLimit = 100

    init(_ file: OpenFile, _ range: ClosedRange<Double>, connection: Int?, limit: Int) {
        (self.file, self.range, self.connection, self.limit) = (file, range, connection, limit)
    }

    private struct Seen {
        let window: PacketWindow
        let place: Int
        var metadata: FrameMetadata { window.batch.metadata[place] }
    }

    func json() throws -> String {
        var output = TextWriter(capacity: 32 * 1024)
        output.write("{\"from\":" as StaticString)
        output.write(JSONValue.number(range.lowerBound).line)
        output.write(",\"to\":" as StaticString)
        output.write(JSONValue.number(range.upperBound).line)
        let runs = file.index.runs.filter { range.overlaps(seconds(of: $0)) && $0.tally(of: connection) != nil }
        let isLong = runs.reduce(0) { $0 + $1.range.count } > Self.reach
        let seen = isLong ? [] : try look(at: runs)
        output.write(",\"arrows\":[" as StaticString)
        if seen.count <= limit { writeArrows(seen, to: &output) }
        output.write("],\"density\":" as StaticString)
        let density = isLong ? try density(of: runs) : seen.count > limit ? self.density(of: seen) : []
        JSONValue.array(density).writeLine(to: &output)
        output.write(",\"gaps\":" as StaticString)
        JSONValue.array(gaps(in: seen)).writeLine(to: &output)
        output.write(",\"spans\":" as StaticString)
        JSONValue.array(spans()).writeLine(to: &output)
        output.write(UInt8(ascii: "}"))
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// Time range of a run, in seconds from the first packet.
    private func seconds(of run: PDURun) -> ClosedRange<Double> {
        file.seconds(run.times.lowerBound)...file.seconds(run.times.upperBound)
    }

    /// The connection packets within the time of these runs.
    private func look(at runs: [PDURun]) throws -> [Seen] {
        var seen: [Seen] = []
        for run in runs {
            var next = run.range.lowerBound
            while next < run.range.upperBound, let window = try file.index.window(at: next) {
                let end = min(window.range.upperBound, run.range.upperBound)
                for index in next..<end {
                    let place = index - window.range.lowerBound
                    let metadata = window.batch.metadata[place]
                    guard metadata.isOfConnection, range.contains(file.seconds(metadata.packet.time)),
                        connection == nil || Int(metadata.connection) + 1 == connection
                    else { continue }
                    seen.append(Seen(window: window, place: place))
                }
                next = end
            }
        }
        return seen
    }

    private func writeArrows(_ seen: [Seen], to output: inout TextWriter) {
        let dissector = Dissector(plugins: file.index.plugins)
        let frame = DissectedFrame()
        let line = FrameLine()
        let marks = file.marks
        for (place, one) in seen.enumerated() {
            let (batch, metadata) = (one.window.batch, one.metadata)
            dissector.dissect(metadata, of: batch, into: frame)
            output.write(place > 0 ? ",{\"number\":" : "{\"number\":" as StaticString)
            output.writeDecimal(UInt64(metadata.packet.number))
            output.write(",\"time\":" as StaticString)
            output.writeSeconds(nanoseconds: metadata.packet.time.nanoseconds(since: batch.start))
            output.writeMember("direction", metadata.directionFromCentral(in: batch).name)
            output.writeMember("connection", Int(metadata.connection) + 1)
            output.writeMember("protocol", ProtocolStack(of: frame.recorder, metadata.packet).column)
            output.write(",\"info\":" as StaticString)
            output.writeSummary(of: frame, metadata, batch, line)
            output.writeRequest(of: metadata, batch)
            if metadata.attribute?.opcode == .errorResponse { output.write(",\"error\":true" as StaticString) }
            output.writeFaults(of: frame, metadata, marks)
            output.write(UInt8(ascii: "}"))
        }
    }

    // MARK: - Densities, gaps and spans

    private func density(of seen: [Seen]) -> [JSONValue] {
        let width = max((range.upperBound - range.lowerBound) / Double(Self.parts), 1e-9)
        var counts: [Int: (count: Int, number: Int)] = [:]
        for one in seen {
            let time = file.seconds(one.metadata.packet.time)
            let part = min(Self.parts - 1, Int((time - range.lowerBound) / width))
            counts[part, default: (0, one.metadata.packet.number)].count += 1
        }
        return counts.sorted { $0.key < $1.key }.map { part, tally in
            let from = range.lowerBound + Double(part) * width
            return Self.density(from, from + width, tally.count, tally.number)
        }
    }

    /// PDU counts of runs; for a run only partly in range, the PDUs in range.
    private func density(of runs: [PDURun]) throws -> [JSONValue] {
        var rows: [(times: ClosedRange<Double>, tally: PDURun.Tally)] = []
        for run in runs {
            let times = seconds(of: run)
            if range.contains(times.lowerBound), range.contains(times.upperBound) {
                if let tally = run.tally(of: connection) { rows.append((times, tally)) }
            } else {
                let seen = try look(at: [run])
                guard let first = seen.first else { continue }
                let tally = PDURun.Tally(count: seen.count, number: first.metadata.packet.number)
                rows.append((times.clamped(to: range), tally))
            }
        }
        let step = max(1, (rows.count + Self.parts - 1) / Self.parts)
        return stride(from: 0, to: rows.count, by: step).map { start in
            let some = rows[start..<min(start + step, rows.count)]
            let times = some.reduce(rows[start].times) {
                min($0.lowerBound, $1.times.lowerBound)...max($0.upperBound, $1.times.upperBound)
            }
            let count = some.reduce(0) { $0 + $1.tally.count }
            return Self.density(times.lowerBound, times.upperBound, count, rows[start].tally.number)
        }
    }

    private static func density(_ from: Double, _ to: Double, _ count: Int, _ number: Int) -> JSONValue {
        .members([
            "from": .number(from), "to": .number(to), "count": .integer(count), "number": .integer(number),
        ])
    }

    /// The longest intervals without a packet, drawn as breaks.
    private func gaps(in seen: [Seen]) -> [JSONValue] {
        let times = seen.map { file.seconds($0.metadata.packet.time) }
        let shortest = (range.upperBound - range.lowerBound) / 20
        let gaps = zip(times, times.dropFirst()).filter { $0.1 - $0.0 >= max(shortest, 1e-6) }
        let longest = gaps.sorted { $0.1 - $0.0 > $1.1 - $1.0 }.prefix(Self.gapLimit)
        return longest.sorted { $0.0 < $1.0 }.map {
            .members(["from": .number($0.0), "to": .number($0.1)])
        }
    }

    /// Connections and their parameters, as far as they are known.
    private func spans() -> [JSONValue] {
        guard let outcome = file.jobs.statistics.ask().outcome?.outcome else { return [] }
        var spans: [JSONValue] = []
        func add(_ kind: String, _ connection: Int, _ from: Double, _ to: Double, _ text: String, _ number: Int?) {
            guard from <= range.upperBound, to >= range.lowerBound, spans.count < 2000 else { return }
            spans.append(
                .members([
                    "kind": .string(kind), "connection": .integer(connection), "from": .number(from),
                    "to": .number(to), "text": .string(text), "number": number.map { .integer($0) },
                ]))
        }
        for (place, one) in outcome.tracker.connections.enumerated()
        where connection == nil || place + 1 == connection {
            let end = file.seconds(one.end)
            let peer = one.receiver >= 0 ? outcome.tracker.devices.shown(one.receiver).title : "?"
            add("connection", place + 1, file.seconds(one.start), end, peer, nil)
            let own = Dictionary(grouping: one.changes.compactMap(Span.init), by: \.kind)
            for (kind, changes) in own.sorted(by: { $0.key < $1.key }) {
                for (index, change) in changes.enumerated() {
                    let next = index + 1 < changes.count ? file.seconds(changes[index + 1].time) : end
                    add(kind, place + 1, file.seconds(change.time), next, change.text, change.frame)
                }
            }
        }
        return spans
    }

    /// A connection parameter from one change to the next, for the kinds that the chart draws.
    private struct Span {
        var kind: String
        var frame: Int
        var time: Timestamp
        var text: String

        init?(_ record: LinkChange.Record) {
            switch record.change {
            case .timing(let timing): (kind, text) = ("interval", "interval \(timing.intervalText)")
            case .mtu: (kind, text) = ("mtu", "\(record.change)")
            case .encryption: (kind, text) = ("encryption", "\(record.change)")
            case .subrate, .dataLength, .phys, .remoteFeatures, .power: return nil
            }
            (frame, time) = (record.frame, record.time)
        }
    }
}

extension FrameMetadata {
    /// Whether the packet belongs to a connection.
    var isOfConnection: Bool { connection >= 0 && (kind == .acl || kind == .data || kind == .control) }

    /// Direction as seen from the central. In a host capture, depends on the adapter's role, if known.
    func directionFromCentral(in batch: TrackedBatch) -> Direction {
        guard hci != nil, batch.roles[connection] == .peripheral else { return direction }
        return direction.opposite
    }
}
