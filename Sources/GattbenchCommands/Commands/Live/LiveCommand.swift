import ArgumentParser
import Captures
import Transports
import Workbench

/// A command that captures what goes by, decodes it and keeps it.
protocol LiveCommand: ParsableCommand {
    var decoding: DecodeArguments { get }
    var live: LiveArguments { get }
    /// How what goes by is judged; nil where it is not.
    var checking: CheckArguments? { get }

    /// Opens what takes rights. The program has a single thread then, and gives up its rights right after.
    func open() throws -> any LiveCapture
    /// Captures until there is no more, or until it was told to end.
    func run(_ capture: any LiveCapture) async throws
}

extension LiveCommand {
    var checking: CheckArguments? { nil }

    func run(_ capture: any LiveCapture) async throws {
        let library = try checking.map { _ in try decoding.devices.loadPlugins() }
        var options = try decoding.readOptions(library)
        options.frameLimit = .max
        let job = try DecodeJob(options)
        let verdict = try checking.map { try LiveVerdict($0, options, hasFrames: hasFrames) }
        Interruption.watch()
        let feed = try LiveFeed(
            capture, live.readOptions(packets: decoding.count), isInterrupted: { Interruption.isAsked },
            report: { Console.note($0) })
        let checked = verdict?.check(feed)
        var failure: (any Error)?
        do {
            try await print(checked ?? feed, job)
        } catch {
            failure = error
        }
        do {
            report(try await feed.end(), of: feed)
        } catch {
            failure = failure ?? error
        }
        if checked != nil { Console.workUnread() }
        let report = try checked.flatMap { try verdict?.write($0.finish()) }
        if let failure, report == nil || !(failure is OutputClosed) { throw failure }
        if let report { try checking?.reports.end(report) }
    }

    /// Whether columns or JSON of frames stand on standard output: text that is for people can have other lines between.
    private var hasFrames: Bool { !live.quiet && decoding.format != .text }

    /// Prints what comes in, as it comes in.
    private func print(_ source: any PacketSource, _ job: DecodeJob) async throws {
        var progress = Progress(besideOutput: !live.quiet)
        if live.quiet {
            var frames = 0
            while let batch = try await source.next() {
                frames += batch.packets.count
                progress.show(frames)
            }
            return
        }
        let outcome = try await job.run(source) { text, frames in
            try Console.write(text)
            progress.show(frames)
            return true
        }
        if checking == nil { Console.note(rivals: outcome.rivals, in: source.name) }
    }

    private func report(_ summary: LiveFeed.Summary, of feed: LiveFeed) {
        // Nobody who has chosen a format that counts microseconds needs to hear that it does.
        Console.note(summary.losses.filter { $0.kind != .nanoseconds })
        if summary.unshown > 0 {
            Console.note("warning: \(summary.unshown) packets are not shown: printing is slower than the traffic")
        }
        Console.note("\(feed.name): \(summary.packets) packets captured, \(summary.lost) lost by the system")
    }
}
