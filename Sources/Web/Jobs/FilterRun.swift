import Bytes
import Captures
import Dissection
import Output
import Synchronization
import Workbench

/// A display filter that runs over a capture in the background, at the speed of `decode -Y`.
final class FilterRun: Sendable {
    let id: String
    let expression: String

    private struct Content {
        var state = JobState.running
        var scanned = 0
        var matches = MatchSet()
        var task: Task<Void, Never>?
    }

    private let content = Mutex(Content())

    init(id: String, _ filter: DisplayFilter, over index: CaptureIndex, _ catalog: FieldCatalog) throws {
        self.id = id
        expression = filter.text
        var job = DecodeJob(printer: try FieldsPrinter([FrameFields.number.name], catalog: catalog, layout: .init()))
        job.filter = filter
        job.plugins = index.plugins
        let prepared = job
        let task = Task(priority: .utility) { [self] in await run(prepared, over: index) }
        content.withLock { $0.task = task }
    }

    var progress: (state: JobState, scanned: Int, matches: Int) {
        content.withLock { ($0.state, $0.scanned, $0.matches.count) }
    }

    /// Frame numbers of the matches at these indices, as far as there are any.
    func matches(_ range: Range<Int>) -> [Int] {
        content.withLock { content in range.lazy.prefix(1000).compactMap { content.matches[$0] } }
    }

    /// Index of the first match numbered `number` or higher; nil if there is none so far.
    func index(from number: Int) -> Int? {
        content.withLock {
            let index = $0.matches.index(from: number)
            return index < $0.matches.count ? index : nil
        }
    }

    func cancel() {
        content.withLock {
            $0.task?.cancel()
            if $0.state == .running { $0.state = .cancelled }
        }
    }

    private func run(_ job: DecodeJob, over index: CaptureIndex) async {
        do {
            var job = job
            let source = try await index.makeSource()
            job.learned = index.learned
            _ = try await job.run(source) { text, frames in
                note(text, frames)
                return !Task.isCancelled
            }
            content.withLock { if $0.state == .running { $0.state = .complete } }
        } catch {
            content.withLock { if $0.state == .running { $0.state = .failed } }
        }
    }

    /// Adds the numbers of matching frames, one per line.
    private func note(_ text: RawSpan, _ frames: Int) {
        content.withLock { content in
            var number = 0
            for offset in text.byteOffsets {
                let byte = text.byte(at: offset)
                if byte == UInt8(ascii: "\n") {
                    content.matches.append(number)
                    number = 0
                } else {
                    number = 10 * number + Int(byte - UInt8(ascii: "0"))
                }
            }
            content.scanned = frames
        }
    }
}
