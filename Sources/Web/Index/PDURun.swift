import Bytes
import Captures
import Conversation

/// Connection PDUs in a run of packets, counted by connection.
struct PDURun: Sendable {
    struct Tally: Sendable {
        var count = 0
        /// Frame number of the first PDU.
        var number: Int
    }

    /// Index range of the packets.
    private(set) var range: Range<Int>
    /// Time range of the PDUs.
    private(set) var times: ClosedRange<Timestamp>
    private(set) var tallies: [Int32: Tally] = [:]

    /// Counts a batch that begins with the packet at index `start`; nil if it has no such PDU.
    init?(_ batch: borrowing TrackedBatch, at start: Int) {
        var (earliest, latest) = (Timestamp.latest, Timestamp.earliest)
        for place in batch.metadata.indices where batch.metadata[place].isOfConnection {
            let packet = batch.metadata[place].packet
            (earliest, latest) = (min(earliest, packet.time), max(latest, packet.time))
            tallies[batch.metadata[place].connection, default: Tally(number: packet.number)].count += 1
        }
        guard !tallies.isEmpty else { return nil }
        times = earliest...latest
        range = start..<(start + batch.metadata.count)
    }

    /// Tally of a connection, numbered from 1, or of all connections if nil. Nil if there are no PDUs.
    func tally(of connection: Int?) -> Tally? {
        if let connection { return Int32(exactly: connection - 1).flatMap { tallies[$0] } }
        return tallies.values.reduce(nil) { sum, one in
            Tally(count: (sum?.count ?? 0) + one.count, number: min(sum?.number ?? .max, one.number))
        }
    }

    /// Appends the following run.
    fileprivate mutating func join(_ next: PDURun) {
        range = range.lowerBound..<next.range.upperBound
        times = min(times.lowerBound, next.times.lowerBound)...max(times.upperBound, next.times.upperBound)
        tallies.merge(next.tallies) { Tally(count: $0.count + $1.count, number: $0.number) }
    }
}

/// The runs of a capture, in order. When a limit is exceeded, neighbours are joined and the spacing doubles.
struct PDURunList: Sendable {
    private(set) var runs: [PDURun] = []
    private var tallies = 0
    /// Maximum number of packets in a joined run.
    private var spacing = 1

    /// Maximum number of runs, and maximum number of tallies while there are at least `fewest` runs.
    private static let limit = 4096
    private static let tallyLimit = 1 << 16
    private static let fewest = 256

    mutating func append(_ run: PDURun) {
        add(run)
        while runs.count > Self.limit || tallies > Self.tallyLimit && runs.count > Self.fewest {
            let all = runs
            (runs, tallies, spacing) = ([], 0, 2 * spacing)
            for run in all { add(run) }
        }
    }

    private mutating func add(_ run: PDURun) {
        if let last = runs.indices.last, run.range.upperBound - runs[last].range.lowerBound <= spacing {
            tallies -= runs[last].tallies.count
            runs[last].join(run)
            tallies += runs[last].tallies.count
        } else {
            runs.append(run)
            tallies += run.tallies.count
        }
    }
}
