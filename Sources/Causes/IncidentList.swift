/// The incidents of a capture.
package struct IncidentList: Sendable {
    /// Name of the capture.
    package var file: String
    package var frames: Int
    /// In the order of their failures.
    package var incidents: [Incident] = []
    /// Number of incidents that were found and not kept.
    package var omitted = 0
    /// Why the capture was not read to its end; nil if it was.
    package var incompleteness: String?

    package init(file: String, frames: Int) {
        self.file = file
        self.frames = frames
    }

    package enum Outcome: Sendable {
        /// Nothing went wrong.
        case nothing
        /// At least one cause was found.
        case explained
        /// Something went wrong, and the capture shows no cause.
        case unexplained
    }

    package var outcome: Outcome {
        if incidents.isEmpty { return .nothing }
        return incidents.contains { $0.cause != nil } ? .explained : .unexplained
    }
}
