import Causes

/// A cause that a capture shows, as `why` names it.
///
/// Packets still show it if the same failure has the same cause, as sure as in the whole capture, and it ends in the same
/// frame: what fails because packets are left out is another failure.
package struct ShownCause: ShownFault {
    private let job: WhyJob
    private let cause: String
    private let incidents: [Shown: Confidence]

    private struct Shown: Hashable {
        let what: Failure.Kind
        /// The last frame that shows it.
        let frame: Int
    }

    /// The cause of a failure in a capture. Throws `CauseNotShown`, and `UnknownCause` for a cause that does not exist.
    package init(_ cause: String, of packets: StoredPackets, explainedBy job: WhyJob) async throws {
        let known = CauseCatalog.all.map { $0.info.id }
        guard known.contains(cause) else { throw UnknownCause(id: cause, known: known) }
        self.job = job
        self.cause = cause
        incidents = try await Self.incidents(cause, in: packets, job)
        guard !incidents.isEmpty else { throw CauseNotShown(cause: cause, file: packets.name) }
    }

    package var frames: [Int] { Set(incidents.keys.map(\.frame)).sorted() }

    package func isShown(by packets: StoredPackets) async throws -> Bool {
        let found = try await Self.incidents(cause, in: packets, job)
        return incidents.contains { shown, confidence in found[shown].map { $0 >= confidence } ?? false }
    }

    private static func incidents(
        _ cause: String, in packets: StoredPackets, _ job: WhyJob
    ) async throws -> [Shown: Confidence] {
        var shown: [Shown: Confidence] = [:]
        for incident in try await job.run(packets.makeSource(), goesOn: { _ in true }).incidents {
            guard incident.cause == cause, let confidence = incident.confidence, let frame = incident.frames.last else {
                continue
            }
            let key = Shown(what: incident.what, frame: frame)
            shown[key] = max(shown[key] ?? confidence, confidence)
        }
        return shown
    }
}

/// A cause that is not in the list.
package struct UnknownCause: Error {
    package let id: String
    package let known: [String]
}

/// A cause that a capture does not show.
package struct CauseNotShown: Error, CustomStringConvertible {
    let cause: String
    let file: String

    package var description: String {
        "\(file): nothing failed because of \(cause); “gattbench why” lists the causes of what failed"
    }
}
