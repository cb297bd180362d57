import Bytes
import Captures

/// The clocks of two captures, aligned by what both have seen, with what supports it.
///
/// Nothing is assumed about the offset. PDUs that are rare in both captures vote for it; from each offset with many
/// votes a line of offset and drift grows over the captures, and the line that most PDUs lie on is taken.
struct ClockAlignment: Sendable {
    /// Of the other capture's clock to the base's.
    private(set) var relation: ClockRelation
    /// PDUs of connections that both captures have, and starts of connections and changes of advertising data.
    private(set) var commonPDUs = 0
    private(set) var commonOthers = 0
    /// How far the common PDUs lie off the line, as their median deviation.
    private(set) var spread = TimeSpan.zero

    /// Why two captures cannot be aligned.
    enum Failure: Error, Hashable {
        /// Fewer than `required` PDUs are in both.
        case tooFew(common: Int, base: Int, other: Int)
        /// Two offsets fit about as well.
        case ambiguous(TimeSpan, TimeSpan, common: Int)
    }

    /// Common PDUs without which captures are not aligned: fewer may agree by chance.
    static let required = 5
    /// The largest drift between two clocks of controllers and recorders, in seconds per second.
    private static let driftLimit = 1e-3
    /// Times that a PDU may be in a capture to vote.
    private static let rarity = 16
    /// Fingerprints that vote, about.
    private static let fingerprintLimit = 50_000
    /// Pairs that vote, about: those of the rarest fingerprints.
    private static let pairLimit = 1 << 20
    /// Offsets that are tried.
    private static let candidateLimit = 8
    /// Width of the bins that votes are counted in: the offset that drift and connection intervals make of one.
    private static let bin: Int64 = 500_000_000
    /// Distance from a line within which a pair belongs to it.
    private static let reach = TimeSpan(milliseconds: 500)
    /// Time over which a line is extended at once; a longer line by its own length.
    private static let stretch = TimeSpan(seconds: 600)

    /// Pairs of a PDU in the base and one in the other capture that may be the same.
    private struct Pair {
        let base: Int
        let other: Int
        let time: Timestamp
        let shift: TimeSpan
        let weight: Double
    }

    /// A relation that was given.
    init(given relation: ClockRelation) {
        self.relation = relation
    }

    init(
        _ base: [Sighting], _ baseSide: CaptureSide, _ other: [Sighting], _ otherSide: CaptureSide
    ) throws(Failure) {
        let pairs = Self.pairs(base, other)
        var lines: [(line: ClockRelation, pairs: [Pair])] = []
        for start in Self.candidates(pairs) {
            guard let found = Self.grow(from: start, pairs) else { continue }
            let middle = found.pairs[found.pairs.count / 2].time
            let isKnown = lines.contains { known in
                (known.line.shift(at: middle) - found.line.shift(at: middle)).magnitude < TimeSpan(seconds: 1)
            }
            if !isKnown { lines.append(found) }
        }
        lines.sort { $0.pairs.count > $1.pairs.count }
        guard let best = lines.first, best.pairs.count >= Self.required else {
            throw .tooFew(
                common: lines.first?.pairs.count ?? 0, base: base.count(where: \.isDistinct),
                other: other.count(where: \.isDistinct))
        }
        if lines.count > 1, lines[1].pairs.count * 10 >= best.pairs.count * 9 {
            throw .ambiguous(best.line.offset, lines[1].line.offset, common: best.pairs.count)
        }
        relation = best.line
        commonPDUs = best.pairs.count { base[$0.base].kind == .pdu }
        commonOthers = best.pairs.count - commonPDUs
        // Advertising data is noticed within an interval only.
        let precise = best.pairs.filter { base[$0.base].kind != .advertising }
        refine(precise.count >= Self.required ? precise : best.pairs, base, baseSide, other, otherSide)
    }

    // MARK: - Votes

    /// Pairs of sightings with a fingerprint that is rare in both captures, in order of time.
    private static func pairs(_ base: [Sighting], _ other: [Sighting]) -> [Pair] {
        func places(_ sightings: [Sighting]) -> [UInt64: [Int32]] {
            var places: [UInt64: [Int32]] = [:]
            for (index, sighting) in sightings.enumerated() where sighting.isDistinct {
                // One more than is rare shows that it is not.
                if places[sighting.fingerprint]?.count ?? 0 <= rarity {
                    places[sighting.fingerprint, default: []].append(Int32(truncatingIfNeeded: index))
                }
            }
            return places.filter { $0.value.count <= rarity }
        }
        let ofOther = places(other)
        var groups = places(base).compactMap { key, bases in ofOther[key].map { (bases, others: $0) } }
        groups.sort { one, two in
            (one.0.count * one.others.count, one.0[0]) < (two.0.count * two.others.count, two.0[0])
        }
        var pairs: [Pair] = []
        // Of very many, some from all over the captures are enough.
        for index in stride(from: 0, to: groups.count, by: 1 + groups.count / fingerprintLimit)
        where pairs.count < pairLimit {
            let (bases, others) = groups[index]
            let weight = 1 / Double(bases.count * others.count)
            for one in bases {
                for two in others {
                    let time = other[Int(two)].time
                    pairs.append(
                        Pair(
                            base: Int(one), other: Int(two), time: time, shift: base[Int(one)].time - time,
                            weight: weight))
                }
            }
        }
        return pairs.sorted { ($0.time, $0.other, $0.base) < ($1.time, $1.other, $1.base) }
    }

    /// The offsets with most votes: the start of a window of two bins each, the best first.
    private static func candidates(_ pairs: [Pair]) -> [TimeSpan] {
        var votes: [Int64: Double] = [:]
        for pair in pairs {
            votes[pair.shift.count(of: TimeSpan(nanoseconds: bin)), default: 0] += pair.weight
        }
        // Bins lie within Int64.min / bin and Int64.max / bin: their neighbours do not overflow.
        let windows = votes.keys.map { (bin: $0, votes: votes[$0, default: 0] + votes[$0 + 1, default: 0]) }
            .sorted { ($1.votes, $0.bin) < ($0.votes, $1.bin) }
        var chosen: [Int64] = []
        for window in windows where chosen.count < candidateLimit {
            if chosen.allSatisfy({ ($0 - window.bin).magnitude > 1 }) { chosen.append(window.bin) }
        }
        return chosen.map { TimeSpan(nanoseconds: bin) * $0 }
    }

    // MARK: - Lines

    /// The line that grows from the pairs with a shift in a window of two bins; nil if none does.
    private static func grow(from start: TimeSpan, _ pairs: [Pair]) -> (line: ClockRelation, pairs: [Pair])? {
        let window = TimeSpan(nanoseconds: 2 * bin)
        var inliers = pairs.filter { (.zero..<window).contains($0.shift - start) }
        var reach = reach
        var line = ClockRelation()
        for _ in 0..<24 {
            guard let first = inliers.first, let last = inliers.last else { return nil }
            let span: TimeSpan = last.time - first.time
            line = ClockRelation(
                through: inliers.map { ($0.time, $0.shift) }, fixedDrift: span < TimeSpan(seconds: 60) ? 0 : nil)
            guard line.drift.magnitude <= driftLimit else { return nil }
            let margin = max(span, stretch)
            let earliest = first.time - margin
            let latest = last.time + margin
            let near = pairs.filter { pair in
                pair.time >= earliest && pair.time <= latest
                    && (pair.shift - line.shift(at: pair.time)).magnitude <= reach
            }
            let next = oneToOne(near, line)
            let isSettled = next.count == inliers.count
            inliers = next
            guard isSettled else { continue }
            if reach < Self.reach { break }
            let deviations = inliers.map { ($0.shift - line.shift(at: $0.time)).magnitude.seconds }
            reach = min(Self.reach, max(TimeSpan(milliseconds: 100), TimeSpan(clamping: 9 * (deviations.median ?? 0))))
            if reach == Self.reach { break }
        }
        return inliers.isEmpty ? nil : (line, inliers)
    }

    /// For each sighting of either capture the pair nearest to the line. Pairs are in order of time.
    private static func oneToOne(_ pairs: [Pair], _ line: ClockRelation) -> [Pair] {
        var (bases, others): (Set<Int>, Set<Int>) = ([], [])
        let distances = pairs.map { ($0.shift - line.shift(at: $0.time)).magnitude }
        var chosen: [Int] = []
        for index in pairs.indices.sorted(by: { (distances[$0], $0) < (distances[$1], $1) })
        where !bases.contains(pairs[index].base) && !others.contains(pairs[index].other) {
            bases.insert(pairs[index].base)
            others.insert(pairs[index].other)
            chosen.append(index)
        }
        return chosen.sorted().map { pairs[$0] }
    }

    /// Fits the line to the pairs with the steadiest delay, and moves it so that causes come before effects: a host's
    /// packets are heard after the host has sent them, those that it receives before.
    private mutating func refine(
        _ pairs: [Pair], _ base: [Sighting], _ baseSide: CaptureSide, _ other: [Sighting], _ otherSide: CaptureSide
    ) {
        /// Whether the base shows a pair before the other capture does; nil if that is not known.
        func isEarlierInBase(_ pair: Pair) -> Bool? {
            switch (baseSide, base[pair.base].direction, otherSide, other[pair.other].direction) {
            case (.air, _, .air, _), (.host, .unknown, _, _), (.air, _, .host, .unknown): nil
            case (.host, let direction, _, _): direction == .sent
            case (.air, _, .host, let direction): direction == .received
            }
        }
        let (earlier, later) = (
            pairs.filter { isEarlierInBase($0) == true }, pairs.filter { isEarlierInBase($0) == false }
        )
        // What a host receives waits for no connection event.
        var steady = pairs
        if baseSide != otherSide {
            let received = baseSide == .host ? later : earlier
            if received.count >= 2 * Self.required, received.count * 4 >= pairs.count { steady = received }
        }
        let span: TimeSpan = (steady.last?.time ?? .epoch) - (steady.first?.time ?? .epoch)
        // Over a short time, delays look like drift.
        relation = ClockRelation(
            through: steady.map { ($0.time, $0.shift) }, fixedDrift: span < TimeSpan(seconds: 60) ? 0 : nil)
        if relation.drift.magnitude > Self.driftLimit { relation.drift = 0 }
        func residuals(_ pairs: [Pair]) -> [Double] {
            pairs.map { ($0.shift - relation.shift(at: $0.time)).seconds }
        }
        let deviations = residuals(steady).map(\.magnitude)
        spread = TimeSpan(clamping: deviations.median ?? 0)
        // The base's time less the other's: negative where the base shows it first.
        let upper = residuals(earlier).quantile(0.9)
        let lower = residuals(later).quantile(0.1)
        let move: Double
        switch (upper, lower) {
        case (nil, nil): return
        case (let upper?, nil): move = upper
        case (nil, let lower?): move = lower
        case (let upper?, let lower?):
            // Between two hosts both delays are unknown; between a host and the air, the received one is short.
            if upper > lower || baseSide == otherSide {
                move = (upper + lower) / 2
            } else {
                move = baseSide == .host ? lower : upper
            }
        }
        relation.offset += TimeSpan(clamping: move)
    }
}
