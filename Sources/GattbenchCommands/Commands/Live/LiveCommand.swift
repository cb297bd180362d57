import ArgumentParser
import Captures
import Conversation
import Keys
import Output
import Transports
import Workbench

/// A command that captures, decodes and records live traffic.
protocol LiveCommand: ParsableCommand {
    var decoding: DecodeArguments { get }
    var live: LiveArguments { get }
    /// The options of the check; nil for none.
    var checking: CheckArguments? { get }
    /// Whether the causes of failures are printed.
    var isExplaining: Bool { get }

    /// Opens the capture source, which needs privileges. The program has a single thread at that time, and drops its
    /// privileges right after.
    func open() throws -> any LiveCapture
    /// Captures until the source ends, or until the command is interrupted.
    func run(_ capture: any LiveCapture, _ keys: KeyRing) async throws
}

extension LiveCommand {
    var checking: CheckArguments? { nil }
    var isExplaining: Bool { false }

    func run(_ capture: any LiveCapture, _ keys: KeyRing) async throws {
        let library = checking != nil || isExplaining ? try decoding.devices.loadPlugins() : nil
        var options = try decoding.readOptions(library)
        options.keys = keys
        options.frameLimit = .max
        let job = try DecodeJob(options)
        let verdict = try checking.map { try LiveVerdict($0, options, hasFrames: hasFrames) }
        Interruption.watch()
        let feed = try LiveFeed(
            capture, live.readOptions(packets: decoding.count), isInterrupted: { Interruption.isAsked },
            report: { Console.note($0) })
        let check = verdict?.makeCheck(of: feed.name)
        let explanation = isExplaining ? makeExplanation(options.plugins) : nil
        let observers = ([check, explanation] as [(any BatchObserver)?]).compactMap(\.self)
        let follower = ConversationTracker(options.plugins, imported: options.tables, keys: options.keys)
        let followed = observers.isEmpty ? nil : FollowedSource(feed, follower, observers)
        var failure: (any Error)?
        do {
            try await print(followed ?? feed, job)
        } catch {
            failure = error
        }
        do {
            report(try await feed.end(), of: feed)
        } catch {
            failure = failure ?? error
        }
        if followed != nil { Console.workUnread() }
        try followed?.finish()
        let report = try check?.outcome.flatMap { try verdict?.write($0) }
        if let failure, followed == nil || !(failure is OutputClosed) { throw failure }
        if let report { try checking?.reports.end(report) }
        if explanation?.hasCause == true { throw ExitCode(Exit.findings) }
    }

    /// Explains the traffic, and prints incidents as they are found.
    private func makeExplanation(_ plugins: PluginSet) -> LiveExplanation {
        let isOnOutput = !hasFrames && checking?.reports.takesOutput != true
        let words = IncidentText(paint: isOnOutput && Console.wantsColor ? .ansi : .none)
        return LiveExplanation(plugins) { incidents in
            let text = words.text(incidents)
            if isOnOutput { try Console.write(painted: text) } else { Console.writeError(text) }
        }
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
