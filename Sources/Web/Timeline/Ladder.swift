import ATT
import Bytes
import Captures
import Conformance
import Conversation
import Dissection
import Output

/// The PDUs of connections in a span of time as arrows, or how many there are where they are too many, and what goes on
/// beside them.
struct Ladder {
    private let file: OpenFile
    private let range: ClosedRange<Double>
    private let connection: Int?
    private let limit: Int

    /// Packets that are looked at; longer spans are counted by checkpoints.
    private static let reach = 50_000
    /// Parts of a span that are counted.
    private static let parts = 400
    private static let gapLimit = 100

    init(_ file: OpenFile, _ range: ClosedRange<Double>, connection: Int?, limit: Int) {
        (self.file, self.range, self.connection, self.limit) = (file, range, connection, limit)
    }

    private struct Seen {
        let window: PacketWindow
        let place: Int
        var facts: FrameMetadata { window.batch.facts[place] }
    }

    func json() throws -> String {
        var output = TextWriter(capacity: 32 * 1024)
        output.write("{\"from\":" as StaticString)
        output.write(JSONValue.number(range.lowerBound).line)
        output.write(",\"to\":" as StaticString)
        output.write(JSONValue.number(range.upperBound).line)
        let places = file.index.milestones
        let inside = places.filter { range.contains(file.seconds($0.time)) }
        let isLong = (inside.last?.index ?? 0) - (inside.first?.index ?? 0) > Self.reach
        let seen = isLong ? [] : try look()
        output.write(",\"arrows\":[" as StaticString)
        if seen.count <= limit { writeArrows(seen, to: &output) }
        output.write("],\"density\":" as StaticString)
        let density =
            isLong ? Self.density(of: inside, file) : seen.count > limit ? self.density(of: seen) : []
        JSONValue.array(density).writeLine(to: &output)
        output.write(",\"gaps\":" as StaticString)
        JSONValue.array(gaps(in: seen)).writeLine(to: &output)
        output.write(",\"spans\":" as StaticString)
        JSONValue.array(spans()).writeLine(to: &output)
        output.write(UInt8(ascii: "}"))
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// The packets of connections in the time, if they are not too many to look at.
    private func look() throws -> [Seen] {
        var seen: [Seen] = []
        let start = file.index.start
        let first = start &+ Int64(range.lowerBound * 1e9)
        var window = try file.index.window(atTime: first)
        var looked = 0
        while let current = window {
            for place in current.batch.facts.indices {
                let facts = current.batch.facts[place]
                guard facts.isOfConnection,
                    range.contains(file.seconds(facts.packet.time.nanoseconds)),
                    connection == nil || Int(facts.connection) + 1 == connection
                else { continue }
                seen.append(Seen(window: current, place: place))
            }
            looked += current.range.count
            let isOver = current.batch.facts.first.map { file.seconds($0.packet.time.nanoseconds) > range.upperBound }
            if isOver == true || looked > 4 * Self.reach { break }
            window = try file.index.window(after: current)
        }
        return seen
    }

    private func writeArrows(_ seen: [Seen], to output: inout TextWriter) {
        let dissector = Dissector(plugins: file.index.plugins)
        let frame = DissectedFrame()
        let line = FrameLine()
        let marks = file.marks
        for (place, one) in seen.enumerated() {
            let (batch, facts) = (one.window.batch, one.facts)
            dissector.dissect(facts, of: batch, into: frame)
            output.write(place > 0 ? ",{\"number\":" : "{\"number\":" as StaticString)
            output.writeDecimal(UInt64(facts.packet.number))
            output.write(",\"time\":" as StaticString)
            output.writeSeconds(nanoseconds: facts.packet.time.nanoseconds &- batch.start.nanoseconds)
            output.writeMember("direction", facts.directionFromCentral(in: batch).name)
            output.writeMember("connection", Int(facts.connection) + 1)
            output.writeMember("protocol", ProtocolStack(of: frame.recorder, facts.packet).column)
            output.write(",\"info\":" as StaticString)
            output.writeSummary(of: frame, facts, batch, line)
            output.writeRequest(of: facts, batch)
            if facts.attribute?.opcode == .errorResponse { output.write(",\"error\":true" as StaticString) }
            output.writeFaults(of: frame, facts, marks)
            output.write(UInt8(ascii: "}"))
        }
    }

    // MARK: - Beside the arrows

    private func density(of seen: [Seen]) -> [JSONValue] {
        let width = max((range.upperBound - range.lowerBound) / Double(Self.parts), 1e-9)
        var counts: [Int: (count: Int, number: Int)] = [:]
        for one in seen {
            let time = file.seconds(one.facts.packet.time.nanoseconds)
            let part = min(Self.parts - 1, Int((time - range.lowerBound) / width))
            counts[part, default: (0, one.facts.packet.number)].count += 1
        }
        return counts.sorted { $0.key < $1.key }.map { part, tally in
            let from = range.lowerBound + Double(part) * width
            return Self.density(from, from + width, tally.count, tally.number)
        }
    }

    /// Packets between checkpoints.
    private static func density(of places: [Place], _ file: OpenFile) -> [JSONValue] {
        let step = max(1, places.count / parts)
        let some = stride(from: 0, to: places.count, by: step).map { places[$0] } + (places.last.map { [$0] } ?? [])
        return zip(some, some.dropFirst()).compactMap { one, next in
            guard next.index > one.index else { return nil }
            return density(file.seconds(one.time), file.seconds(next.time), next.index - one.index, one.number + 1)
        }
    }

    private static func density(_ from: Double, _ to: Double, _ count: Int, _ number: Int) -> JSONValue {
        .members([
            "from": .number(from), "to": .number(to), "count": .integer(count), "number": .integer(number),
        ])
    }

    /// The longest times without a packet: a break is drawn for them.
    private func gaps(in seen: [Seen]) -> [JSONValue] {
        let times = seen.map { file.seconds($0.facts.packet.time.nanoseconds) }
        let shortest = (range.upperBound - range.lowerBound) / 20
        let gaps = zip(times, times.dropFirst()).filter { $0.1 - $0.0 >= max(shortest, 1e-6) }
        let longest = gaps.sorted { $0.1 - $0.0 > $1.1 - $1.0 }.prefix(Self.gapLimit)
        return longest.sorted { $0.0 < $1.0 }.map {
            .members(["from": .number($0.0), "to": .number($0.1)])
        }
    }

    /// Connections and what holds in them, as far as it is known.
    private func spans() -> [JSONValue] {
        // Both begin with the first request.
        let (statistics, changes) = (file.jobs.statistics.ask().outcome, file.jobs.links.ask().outcome ?? [])
        guard let outcome = statistics?.outcome else { return [] }
        var spans: [JSONValue] = []
        func add(_ kind: String, _ connection: Int, _ from: Double, _ to: Double, _ text: String, _ number: Int?) {
            guard from <= range.upperBound, to >= range.lowerBound, spans.count < 2000 else { return }
            spans.append(
                .members([
                    "kind": .string(kind), "connection": .integer(connection), "from": .number(from),
                    "to": .number(to), "text": .string(text), "number": number.map { .integer($0) },
                ]))
        }
        let byConnection = Dictionary(grouping: changes, by: \.connection)
        for (place, one) in outcome.tracker.connections.enumerated()
        where connection == nil || place + 1 == connection {
            let end = file.seconds(one.end.nanoseconds)
            let peer = one.receiver >= 0 ? outcome.tracker.devices.shown(one.receiver).title : "?"
            add("connection", place + 1, file.seconds(one.start.nanoseconds), end, peer, nil)
            let own = byConnection[place + 1] ?? []
            for kind in [LinkChange.Kind.encryption, .mtu, .interval] {
                let changes = own.filter { $0.kind == kind }
                for (index, change) in changes.enumerated() {
                    let next = index + 1 < changes.count ? changes[index + 1].time : end
                    let text = kind == .mtu ? "MTU \(one.mtu)" : change.text
                    add(kind.rawValue, place + 1, change.time, next, text, change.number)
                }
            }
        }
        return spans
    }
}

extension FrameMetadata {
    /// Whether it is a packet between the ends of a connection.
    var isOfConnection: Bool { connection >= 0 && [.acl, .data, .control].contains(kind) }

    /// Which way it went, seen from the central: of a host capture the adapter's role tells, if it is known.
    func directionFromCentral(in batch: TrackedBatch) -> Direction {
        guard hci != nil, batch.roles[connection] == .peripheral else { return direction }
        return direction.opposite
    }
}
