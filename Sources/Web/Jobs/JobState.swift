/// How far something has come that is made in the background.
enum JobState: String, Sendable {
    case running, complete, failed, cancelled
}
