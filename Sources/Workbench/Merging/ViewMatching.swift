import Bytes
import Captures

/// The PDUs that two captures with aligned clocks both show, and those that one of them misses.
struct ViewMatching: Sendable {
    /// Indices of a PDU's two sightings.
    struct Match: Sendable, Hashable {
        let base: Int
        let other: Int
    }

    /// In order of the base.
    private(set) var matches: [Match] = []
    /// Sightings of the base, and of the other capture, that the other view of the connection should show and does
    /// not.
    private(set) var baseOnly: [Int] = []
    private(set) var otherOnly: [Int] = []

    /// One capture, with its sightings in capture order.
    struct View {
        var sightings: [Sighting]
        var side: CaptureSide
        /// Times of the earliest and the latest packet.
        var times: ClosedRange<Timestamp>
        /// By connection, the time from which PDUs stay closed, as they are encrypted.
        var closed: [Int32: Timestamp] = [:]
    }

    /// Longest time from a PDU in one view to the other view: what a host sends waits for a connection event, of which
    /// several may be skipped.
    private static let delay = TimeSpan(seconds: 4)
    private static let delayOnAir = TimeSpan(milliseconds: 20)
    /// Sightings nearest in time that a sighting may match.
    private static let partners = 8
    /// Weight of a match without a delay; one at the longest delay has half of it.
    private static let weight = 1000

    /// A connection of the other capture in the base.
    private struct Counterpart {
        let connection: Int32
        /// Whether a direction has the same name in both captures.
        let isSameDirection: Bool

        /// Whether two directions may be the same; an unknown one may be any.
        func allows(_ base: Direction, _ other: Direction) -> Bool {
            base == .unknown || other == .unknown || (base == other) == isSameDirection
        }
    }

    init(_ base: View, _ other: View, _ relation: ClockRelation) {
        let limit = base.side == .air && other.side == .air ? Self.delayOnAir : Self.delay
        let times = other.sightings.map { relation.aligned($0.time) }
        let possible = Self.possible(base.sightings, other.sightings, times, within: limit)
        let counterparts = Self.counterparts(possible, base.sightings, other.sightings)
        var groups: [Group: [OrderedMatching.Pair]] = [:]
        for (one, two) in possible {
            let (sighting, partner) = (base.sightings[one], other.sightings[two])
            guard let counterpart = counterparts[partner.connection], counterpart.connection == sighting.connection,
                counterpart.allows(sighting.direction, partner.direction)
            else { continue }
            let distance = (sighting.time - times[two] as TimeSpan).magnitude
            let penalty = Int(distance.seconds / limit.seconds * Double(Self.weight / 2))
            groups[Group(connection: sighting.connection, direction: sighting.direction), default: []]
                .append(OrderedMatching.Pair(base: one, other: two, weight: Self.weight - penalty))
        }
        matches = groups.values.flatMap { OrderedMatching.best($0) }.map { Match(base: $0.base, other: $0.other) }
            .sorted { $0.base < $1.base }
        findMissing(base, other, times, relation, counterparts)
    }

    private struct Group: Hashable {
        let connection: Int32
        let direction: Direction
    }

    /// Pairs of PDUs with equal bytes and nearly the same time.
    private static func possible(
        _ base: [Sighting], _ other: [Sighting], _ times: [Timestamp], within limit: TimeSpan
    ) -> [(Int, Int)] {
        var places: [UInt64: [Int]] = [:]
        for (index, sighting) in other.enumerated() where sighting.kind == .pdu {
            places[sighting.fingerprint, default: []].append(index)
        }
        for key in places.keys { places[key]?.sort { (times[$0], $0) < (times[$1], $1) } }
        var pairs: [(Int, Int)] = []
        for (index, sighting) in base.enumerated() where sighting.kind == .pdu {
            guard let equal = places[sighting.fingerprint] else { continue }
            // The first that is not earlier.
            var (low, high) = (0, equal.count)
            while low < high {
                let middle = (low + high) / 2
                if times[equal[middle]] < sighting.time { low = middle + 1 } else { high = middle }
            }
            let near = max(0, low - partners / 2)..<min(equal.count, low + partners / 2)
            for place in equal[near] where (times[place] - sighting.time as TimeSpan).magnitude <= limit {
                pairs.append((index, place))
            }
        }
        return pairs
    }

    /// The base's connection for each connection of the other capture: the one with most PDUs in common, two at least.
    private static func counterparts(
        _ possible: [(Int, Int)], _ base: [Sighting], _ other: [Sighting]
    ) -> [Int32: Counterpart] {
        struct Choice: Hashable {
            let connection: Int32
            let isSameDirection: Bool
        }
        var votes: [Int32: [Choice: Int]] = [:]
        for (one, two) in possible where base[one].isDistinct && base[one].connection >= 0 {
            let (direction, partner) = (base[one].direction, other[two].direction)
            guard direction != .unknown, partner != .unknown, other[two].connection >= 0 else { continue }
            let choice = Choice(connection: base[one].connection, isSameDirection: direction == partner)
            votes[other[two].connection, default: [:]][choice, default: 0] += 1
        }
        return votes.compactMapValues { choices in
            let best = choices.max { ($0.value, $1.key.connection) < ($1.value, $0.key.connection) }
            guard let best, best.value >= 2 else { return nil }
            return Counterpart(connection: best.key.connection, isSameDirection: best.key.isSameDirection)
        }
    }

    /// Finds the PDUs of linked connections that only one capture shows, while both were recorded and could be read.
    private mutating func findMissing(
        _ base: View, _ other: View, _ times: [Timestamp], _ relation: ClockRelation,
        _ counterparts: [Int32: Counterpart]
    ) {
        let span =
            relation.aligned(
                other.times.lowerBound)...max(
                relation.aligned(other.times.lowerBound), relation.aligned(other.times.upperBound))
        var closed: [Int32: Timestamp] = [:]
        for (connection, counterpart) in counterparts {
            guard let time = other.closed[connection] else { continue }
            // What was sent before may be heard encrypted.
            let start = relation.aligned(time) - TimeSpan(seconds: 1)
            closed[counterpart.connection] = min(closed[counterpart.connection] ?? .latest, start)
        }
        let linked = Set(counterparts.values.map(\.connection))
        let (known, heard) = (Set(matches.map(\.base)), Set(matches.map(\.other)))
        for (index, sighting) in base.sightings.enumerated()
        where sighting.kind == .pdu && linked.contains(sighting.connection) && !known.contains(index) {
            guard span.contains(sighting.time), sighting.time < closed[sighting.connection] ?? .latest else { continue }
            baseOnly.append(index)
        }
        for (index, sighting) in other.sightings.enumerated()
        where sighting.kind == .pdu && !heard.contains(index) {
            guard let counterpart = counterparts[sighting.connection], base.times.contains(times[index]) else {
                continue
            }
            let end = base.closed[counterpart.connection].map { $0 - TimeSpan(seconds: 1) } ?? .latest
            if times[index] < end { otherOnly.append(index) }
        }
    }
}
