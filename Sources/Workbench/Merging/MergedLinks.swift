import Bytes
import Captures
import Conversation

/// The comments of a merged file: what other inputs show of the PDU that ends with a frame.
struct MergedLinks {
    /// Another input's sighting of a PDU.
    private struct Partner {
        let input: Int
        let sighting: Int
    }

    private let views: [ViewMatching.View]
    private let relations: [ClockRelation]
    /// By input: the input that it was aligned with.
    private let bases: [Int?]
    /// By input and sighting: the same PDU in other inputs.
    private var partners: [[Int: [Partner]]]
    /// By input: the sightings that another input should show and does not, with whether that is the host's log that it
    /// was aligned with.
    private var onlyHere: [[Int: Bool]]
    /// By input and sighting: the number of its frame in the merged file.
    private var numbers: [[Int: Int]]

    init(_ inputs: MergeInputs) {
        views = inputs.views
        relations = inputs.relations
        var partners = [[Int: [Partner]]](repeating: [:], count: views.count)
        var onlyHere = [[Int: Bool]](repeating: [:], count: views.count)
        for (input, matching) in inputs.matchings.sorted(by: { $0.key < $1.key }) {
            guard let base = inputs.alignments[input]?.base else { continue }
            for match in matching.matches {
                partners[base][match.base, default: []].append(Partner(input: input, sighting: match.other))
                partners[input][match.other, default: []].append(Partner(input: base, sighting: match.base))
            }
            for sighting in matching.baseOnly where onlyHere[base][sighting] == nil { onlyHere[base][sighting] = false }
            for sighting in matching.otherOnly { onlyHere[input][sighting] = inputs.views[base].side == .host }
        }
        (self.partners, self.onlyHere) = (partners, onlyHere)
        bases = views.indices.map { inputs.alignments[$0]?.base }
        numbers = views.map { _ in [:] }
    }

    /// Records the number of a frame in the merged file.
    mutating func setNumber(_ number: Int, ofFrame frame: Int, of input: Int) {
        guard let sighting = pdu(endingWith: frame, of: input), partners[input][sighting] != nil else { return }
        numbers[input][sighting] = number
    }

    /// The comments of a frame.
    func comments(onFrame frame: Int, of input: Int) -> [String] {
        guard let place = pdu(endingWith: frame, of: input) else { return [] }
        let own = views[input].sightings[place]
        var links: [ViewLink] = []
        for partner in partners[input][place] ?? [] {
            guard let number = numbers[partner.input][partner.sighting] else { continue }
            let other = views[partner.input].sightings[partner.sighting]
            var link = ViewLink(
                Self.sight(of: other, views[partner.input].side), frame: number,
                isSecondView: isSecondView(place, input))
            link.delay = relations[partner.input].aligned(other.time) - relations[input].aligned(own.time)
            if link.sight == .heard {
                link.transmissions = Int(other.transmissions)
                link.isAcknowledged = other.isAcknowledged
            }
            links.append(link)
        }
        if partners[input][place] == nil, let isSecond = onlyHere[input][place] {
            links.append(ViewLink(Self.sight(of: own, views[input].side), isSecondView: isSecond))
        }
        if !links.isEmpty { links[0].completion = own.completion }
        return links.map(\.comment)
    }

    /// Whether another view of a PDU is the better evidence: a host's log, of two logs the base; of two sniffers, the
    /// frame that comes first, as the other one repeats it.
    private func isSecondView(_ sighting: Int, _ input: Int) -> Bool {
        let own = partners[input][sighting] ?? []
        func isLog(_ partner: Partner) -> Bool { views[partner.input].side == .host }
        guard views[input].side == .air else { return own.contains { isLog($0) && $0.input == bases[input] } }
        return own.contains { partner in
            if isLog(partner) { return true }
            let others = partners[partner.input][partner.sighting] ?? []
            return others.contains(where: isLog)
                || numbers[partner.input][partner.sighting] ?? .max < numbers[input][sighting] ?? 0
        }
    }

    /// The sighting of the PDU that ends with a frame; sightings are in order of their frames.
    private func pdu(endingWith frame: Int, of input: Int) -> Int? {
        let sightings = views[input].sightings
        var (low, high) = (0, sightings.count)
        while low < high {
            let middle = (low + high) / 2
            if sightings[middle].frame < frame { low = middle + 1 } else { high = middle }
        }
        return sightings[low...].prefix { $0.frame == frame }.firstIndex { $0.kind == .pdu }
    }

    /// How a capture shows a PDU.
    private static func sight(of sighting: Sighting, _ side: CaptureSide) -> ViewLink.Sight {
        if side == .air { return .heard }
        return sighting.direction == .sent ? .sent : .received
    }
}
