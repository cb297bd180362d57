package import PluginKit

/// A reason why something failed: what it explains, and how the captured session speaks for and against it.
package protocol Cause: SendableMetatype {
    static var info: CauseInfo { get }
    /// Weighs the cause for a failure of one of the kinds that it explains; nil if it is out of the question, so that it
    /// is not even listed as considered.
    static func assess(_ failure: Failure, in session: Session) -> Assessment?
}

/// The description of a cause, from which its documentation is generated.
package struct CauseInfo: Sendable {
    /// The name in JSON and on the command line: `supervision_timeout`.
    package var id: String
    /// One sentence: `The peer was not heard for the supervision timeout.`
    package var title: String
    /// The kinds of failures that the cause can explain.
    package var explains: Set<Failure.Kind>
    /// What makes the cause certain, and what makes it only likely or possible.
    package var evidence: String
    /// What speaks against it.
    package var against: String
    /// What to do about it, addressed to an engineer.
    package var advice: String
    /// Reference to the specification: `Vol 6, Part B, 4.5.2`.
    package var source: String

    package init(
        _ id: String, _ title: String, explains: Set<Failure.Kind>, evidence: String, against: String, advice: String,
        source: String
    ) {
        self.id = id
        self.title = title
        self.explains = explains
        self.evidence = evidence
        self.against = against
        self.advice = advice
        self.source = source
    }
}

/// How sure a cause is.
package enum Confidence: String, Sendable, CaseIterable, Comparable {
    /// Something may have caused it: it fits, but so might what was not captured.
    case possible
    /// The capture shows what usually comes of this cause.
    case likely
    /// The capture shows the cause itself, such as an error code that names it, and nothing is missing that could
    /// change it.
    case certain

    package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .possible: 0
        case .likely: 1
        case .certain: 2
        }
    }
}

/// The outcome of weighing a cause for a failure.
package enum Assessment {
    /// The cause explains the failure. `frames` are the evidence, `text` states it in one or two sentences.
    case found(Confidence, frames: [FrameReference], text: String)
    /// Something in the capture speaks against the cause: `the peripheral answered in frame 17`.
    case excluded(String)
}
