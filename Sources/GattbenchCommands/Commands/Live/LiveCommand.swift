import ArgumentParser
import Captures
import Keys
import Transports
import Workbench

/// A command that captures, decodes and records live traffic.
protocol LiveCommand: ParsableCommand {
    var decoding: DecodeArguments { get }
    var live: LiveArguments { get }
    /// The options of the check; nil for none.
    var checking: CheckArguments? { get }

    /// Opens the capture source, which needs privileges. The program has a single thread at that time, and drops its
    /// privileges right after.
    func open() throws -> any LiveCapture
    /// Captures until the source ends, or until the command is interrupted.
    func run(_ capture: any LiveCapture, _ keys: KeyRing) async throws
}

extension LiveCommand {
    var checking: CheckArguments? { nil }

    func run(_ capture: any LiveCapture, _ keys: KeyRing) async throws {
        let library = try checking.map { _ in try decoding.devices.loadPlugins() }
        var options = try decoding.readOptions(library)
        options.keys = keys
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

    /// Whether columns or JSON of frames are written to standard output; text for people may have other lines in
    /// between.
    private var hasFrames: Bool { !live.quiet && decoding.format != .text }

    /// Prints packets as they arrive.
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
        // Lost nanoseconds are not reported: the user has chosen a format with microseconds.
        Console.note(summary.losses.filter { $0.kind != .nanoseconds })
        if summary.unshown > 0 {
            Console.note("warning: \(summary.unshown) packets are not shown: printing is slower than the traffic")
        }
        Console.note("\(feed.name): \(summary.packets) packets captured, \(summary.lost) lost by the system")
    }
}
