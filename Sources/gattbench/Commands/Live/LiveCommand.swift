import ArgumentParser
import Captures
import Transports
import Workbench

/// A command that captures what goes by, decodes it and keeps it.
protocol LiveCommand: ParsableCommand {
    var decoding: DecodeArguments { get }
    var live: LiveArguments { get }

    /// Opens what takes rights. The program has a single thread then, and gives up its rights right after.
    func open() throws -> any LiveCapture
    /// Captures until there is no more, or until it was told to end.
    func run(_ capture: any LiveCapture) async throws
}

extension LiveCommand {
    func run(_ capture: any LiveCapture) async throws {
        var options = try decoding.readOptions()
        options.frameLimit = .max
        let job = try DecodeJob(options)
        Interruption.watch()
        let feed = try LiveFeed(
            capture, live.readOptions(packets: decoding.count), isInterrupted: { Interruption.isAsked },
            tell: { Console.note($0) })
        var failure: (any Error)?
        do {
            try await print(feed, job)
        } catch {
            failure = error
        }
        report(try await feed.end(), of: feed)
        if let failure { throw failure }
    }

    /// Prints what comes in, as it comes in.
    private func print(_ feed: LiveFeed, _ job: DecodeJob) async throws {
        var progress = Progress()
        if live.quiet {
            var frames = 0
            while let batch = try await feed.next() {
                frames += batch.packets.count
                progress.show(frames)
            }
            return
        }
        let outcome = try await job.run(feed) { text, frames in
            try Console.write(text)
            progress.show(frames)
            return true
        }
        Console.note(rivals: outcome.rivals, in: feed.name)
    }

    private func report(_ summary: LiveFeed.Summary, of feed: LiveFeed) {
        Console.note(summary.losses)
        if summary.unshown > 0 {
            Console.note("warning: \(summary.unshown) packets are not shown: they came faster than they were printed")
        }
        Console.note("\(feed.name): \(summary.packets) packets captured, \(summary.lost) lost by the system")
    }
}
