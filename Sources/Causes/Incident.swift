/// A failure with its cause.
package struct Incident: Sendable {
    /// A cause that was considered and dropped, and what speaks against it.
    package struct Considered: Sendable {
        package var cause: String
        package var against: String

        package init(cause: String, against: String) {
            self.cause = cause
            self.against = against
        }
    }

    /// Number of the connection, from 1; nil for what failed outside of one.
    package var connection: Int?
    /// Name or address of the peripheral, or of the other side where the roles are not known; nil where the capture does
    /// not show it.
    package var device: String?
    package var what: Failure.Kind
    /// Id of the cause; nil where the capture shows none.
    package var cause: String?
    package var confidence: Confidence?
    /// Numbers of the frames that show it, in order.
    package var frames: [Int]
    package var text: String
    package var advice: String
    package var considered: [Considered]

    package init(
        connection: Int?, device: String?, what: Failure.Kind, cause: String?, confidence: Confidence?, frames: [Int],
        text: String, advice: String, considered: [Considered]
    ) {
        self.connection = connection
        self.device = device
        self.what = what
        self.cause = cause
        self.confidence = confidence
        self.frames = frames
        self.text = text
        self.advice = advice
        self.considered = considered
    }
}

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
