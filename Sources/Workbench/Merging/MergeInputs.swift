import Bytes
import Captures
import Conversation

/// The captures of a merge with their aligned clocks, the PDUs that they have in common, and their interfaces in the
/// merged file.
struct MergeInputs: Sendable {
    let files: [String]
    /// Indices of the inputs, the reference first, then the hosts' logs, then the air.
    let order: [Int]
    let views: [ViewMatching.View]
    /// To the reference's clock.
    private(set) var relations: [ClockRelation]
    /// The alignment of each input but the reference, and the input that it was aligned with.
    private(set) var alignments: [Int: (base: Int, alignment: ClockAlignment)] = [:]
    /// By input: the PDUs that it has in common with its base.
    private(set) var matchings: [Int: ViewMatching] = [:]
    private(set) var interfaces: [StatedInterface] = []
    /// Inputs of which only the first PDUs were compared.
    let cutInputs: [Int]
    /// Numbers of interfaces by adapter, for each input.
    private var numbers: [[UInt16: Int]]

    /// - Parameter offset: time to add to the second of two inputs; nil to align by common PDUs.
    init(_ files: [String], _ surveys: [ViewSurvey], offset: TimeSpan?) throws {
        self.files = files
        views = surveys.map(\.view)
        let hosts = surveys.indices.filter { surveys[$0].view.side == .host }
        order = hosts + surveys.indices.filter { surveys[$0].view.side == .air }
        relations = surveys.map { _ in ClockRelation(offset: .zero) }
        numbers = surveys.map { _ in [:] }
        cutInputs = surveys.indices.filter { surveys[$0].isCut }
        try align(offset)
        for (input, alignment) in alignments {
            matchings[input] = ViewMatching(
                alignedView(alignment.base), views[input], relations[input])
        }
        describe(surveys)
    }

    var reference: Int { order[0] }

    /// An input's view with times on the reference's clock.
    private func alignedView(_ input: Int) -> ViewMatching.View {
        var view = views[input]
        let relation = relations[input]
        if relation.offset == .zero, relation.drift == 0 { return view }
        for index in view.sightings.indices {
            view.sightings[index].time = relation.aligned(view.sightings[index].time)
        }
        let start = relation.aligned(view.times.lowerBound)
        view.times = start...max(start, relation.aligned(view.times.upperBound))
        view.closed = view.closed.mapValues { relation.aligned($0) }
        return view
    }

    /// Aligns each input with the reference, else with the first input that is aligned already and has enough in common
    /// with it.
    private mutating func align(_ offset: TimeSpan?) throws {
        if let offset {
            relations[order[1]] = ClockRelation(offset: offset)
            alignments[order[1]] = (order[0], ClockAlignment(given: relations[order[1]]))
            return
        }
        var aligned = [reference]
        var waiting = Array(order.dropFirst())
        while !waiting.isEmpty {
            var failure: (input: Int, base: Int, reason: ClockAlignment.Failure)?
            var found: Int?
            search: for input in waiting {
                for base in aligned {
                    do throws(ClockAlignment.Failure) {
                        let view = alignedView(base)
                        let alignment = try ClockAlignment(
                            view.sightings, view.side, views[input].sightings, views[input].side)
                        relations[input] = alignment.relation
                        alignments[input] = (base, alignment)
                        found = input
                        break search
                    } catch {
                        if failure == nil { failure = (input, base, error) }
                    }
                }
            }
            if let found {
                aligned.append(found)
                waiting.removeAll { $0 == found }
            } else if let failure {
                throw MergeError(files[failure.base], files[failure.input], failure.reason, isPair: files.count == 2)
            }
        }
    }

    // MARK: - Interfaces

    private mutating func describe(_ surveys: [ViewSurvey]) {
        for input in order {
            let name = files[input].split(separator: "/").last.map(String.init) ?? files[input]
            let adapters = surveys[input].adapters
            for adapter in adapters.isEmpty ? [0] : adapters.sorted() {
                numbers[input][adapter] = interfaces.count
                interfaces.append(
                    StatedInterface(
                        name: name, description: clock(of: input).description,
                        holding: surveys[input].encapsulation))
            }
        }
    }

    /// The clock of an input, as its interface states it.
    func clock(of input: Int) -> MergedClock {
        guard let (_, alignment) = alignments[input] else { return .reference }
        return MergedClock(
            offset: relations[input].shift(at: views[input].times.lowerBound), drift: relations[input].driftPPM,
            common: alignment.commonPDUs + alignment.commonOthers, spread: alignment.spread.seconds * 1000)
    }

    /// The number of the interface of a packet.
    func interface(of packet: CapturedPacket, _ batch: PacketBatch, _ input: Int) -> Int {
        let adapter = batch.hciView(of: packet)?.adapter ?? packet.adapter
        return numbers[input][adapter] ?? numbers[input].values.min() ?? 0
    }
}

/// Two captures that cannot be aligned: what was looked for, what was found, and what to do.
package struct MergeError: Error, CustomStringConvertible {
    package let description: String

    init(_ base: String, _ other: String, _ reason: ClockAlignment.Failure, isPair: Bool) {
        let advice =
            isPair
            ? "if they are of one time, state the seconds to add to the times of \(other): --offset SECONDS"
            : "merge captures of one time; of two captures, --offset SECONDS states the offset"
        switch reason {
        case .tooFew(let common, let baseCount, let otherCount):
            description =
                "\(other): its clock cannot be aligned with that of \(base): \(common) common PDUs of connections and "
                + "advertisers were found, \(ClockAlignment.required) are needed (\(base) has \(baseCount) that can be recognized, "
                + "\(other) \(otherCount); what is encrypted on the air needs its key); \(advice)"
        case .ambiguous(let one, let two, let common):
            let offsets = [one, two].map { "\($0.seconds.text(fixed: 3)) s" }.joined(separator: " and ")
            description =
                "\(other): its clock fits that of \(base) at two offsets, \(offsets), by \(common) common PDUs; \(advice)"
        }
    }
}
