package import Bytes
package import Captures
import Conversation
package import Keys

/// Puts captures of one time together: a pcapng file with an interface for each, their clocks aligned, and comments that
/// link both views of a PDU.
///
/// It reads the captures three times: for what they have in common, for the order of their packets, and to write.
package struct MergeJob {
    package var options = MergeOptions()

    /// Captures that are merged at once.
    package static let inputLimit = 16

    package init() {}

    /// Merges captures into a new file at `path`; `progress` gets the number of packets read in all passes, and returns
    /// whether to continue. Nothing is written unless the clocks can be aligned.
    package func run(
        _ readers: [CaptureReader], to path: String, progress: (Int) -> Bool = { _ in true }
    ) throws -> MergeReport {
        try check(readers, path)
        var count = 0
        func goesOn(_ packets: Int) -> Bool {
            count += packets
            return progress(count)
        }
        let surveys = try survey(readers, goesOn)
        let inputs = try MergeInputs(readers.map(\.file), surveys, offset: options.offset)
        var links = MergedLinks(inputs)
        let order = inputs.order
        let cursors = order.map { MergeCursor(readers[$0], inputs.relations[$0]) }
        var sequence = try MergedSequence(cursors)
        var number = 0
        while let (place, packet) = sequence.next {
            let (input, batch) = (order[place], cursors[place].batch)
            if inputs.interfaces[inputs.interface(of: packet, batch, input)].holds(packet, of: batch) {
                number += 1
                links.setNumber(number, ofFrame: packet.number, of: input)
            }
            guard try sequence.advance(goesOn) else { throw MergeInterruption() }
        }
        let writer = try CaptureWriter(path: path, interfaces: inputs.interfaces)
        for reader in readers { try reader.rewind() }
        sequence = try MergedSequence(cursors)
        while let (place, packet) = sequence.next {
            let (input, batch) = (order[place], cursors[place].batch)
            var aligned = packet
            aligned.time = inputs.relations[input].aligned(packet.time)
            let comments = batch.comments(of: packet).filter { ViewLink(comment: $0) == nil }
            try writer.write(
                aligned, of: batch, on: inputs.interface(of: packet, batch, input),
                comments: comments + links.comments(onFrame: packet.number, of: input))
            guard try sequence.advance(goesOn) else { break }
        }
        try writer.flush()
        return MergeReport(inputs, packets: writer.packetCount, losses: writer.losses, readers: readers)
    }

    private func check(_ readers: [CaptureReader], _ path: String) throws(CaptureError) {
        guard (2...Self.inputLimit).contains(readers.count), options.offset == nil || readers.count == 2 else {
            throw CaptureError(
                .wrongTarget, file: path, "\(readers.count) captures cannot be merged",
                advice: "name 2 to \(Self.inputLimit), with an offset 2")
        }
        for reader in readers where !reader.isSeekable {
            throw CaptureError(
                .cannotRead, file: reader.file, "cannot be read more than once, as merge does",
                advice: "write it to a file first")
        }
        for reader in readers where reader.reads(fileAt: path) {
            throw CaptureError(.cannotWrite, file: path, "is a file that is read", advice: "write to another file")
        }
    }

    /// The first pass: the hosts' logs, then the air, which the keys of the logs open. Readers are rewound.
    private func survey(_ readers: [CaptureReader], _ goesOn: (Int) -> Bool) throws -> [ViewSurvey] {
        var surveys = [ViewSurvey](repeating: ViewSurvey(), count: readers.count)
        var keys = options.keys
        var air: [Int] = []
        for (index, reader) in readers.enumerated() {
            let first = try reader.next()
            let isAir = first?.packets.first?.encapsulation.isLinkLayer ?? false
            try reader.rewind()
            if isAir {
                air.append(index)
            } else {
                keys = try survey(reader, keys, into: &surveys[index], goesOn)
            }
        }
        for index in air { keys = try survey(readers[index], keys, into: &surveys[index], goesOn) }
        for (reader, survey) in zip(readers, surveys) {
            guard survey.encapsulation != nil else {
                throw CaptureError(.empty, file: reader.file, "there is no packet in it", advice: "leave it out")
            }
            if survey.isMixed {
                throw CaptureError(
                    .unsupported, file: reader.file, "it has packets of a host and of the air",
                    advice: "if it was merged, merge the captures that it was merged from")
            }
        }
        return surveys
    }

    /// Tracks a capture; returns the keys known afterwards.
    private func survey(
        _ reader: CaptureReader, _ keys: KeyRing, into survey: inout ViewSurvey, _ goesOn: (Int) -> Bool
    ) throws -> KeyRing {
        var tracker = Tracker(keys: keys)
        var batch = TrackedBatch()
        while let packets = try reader.next() {
            batch.fill(packets)
            tracker.track(&batch)
            tracker.name(&batch)
            survey.add(batch)
            let count = batch.metadata.count
            reader.reuse(batch.empty())
            guard goesOn(count) else { throw MergeInterruption() }
        }
        try reader.rewind()
        return tracker.keys
    }
}

/// The user has ended a merge before anything was written.
package struct MergeInterruption: Error {}

/// What a merge needs beside its inputs.
package struct MergeOptions: Sendable {
    /// Time to add to the second of two captures, if the user states it.
    package var offset: TimeSpan?
    /// Keys that open what is encrypted on the air, beside those of the hosts' logs.
    package var keys = KeyRing()

    package init() {}
}
