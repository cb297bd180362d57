import ArgumentParser
import Captures
import Causes
import Output
import Workbench

/// `gattbench why`.
struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", _superCommandName: Program.name,
        abstract: "Explain what failed in a capture: one cause for each failure, with its frames.",
        discussion: """
            Connections, pairings, discoveries, subscriptions and other procedures that did not end well get one cause each,
            from a closed list (docs/reference/causes.md). “certain” means that the capture shows the cause itself, “likely”
            that it shows what usually comes of it, “possible” that it fits. What else was considered is listed with what
            speaks against it.

            Exit codes: 0 nothing went wrong · 1 causes found · 2 usage error · 3 unreadable input · 4 something went wrong
            and no cause can be shown.

            EXAMPLES
              gattbench why session.btsnoop
              gattbench why --connection 2 session.pcapng
              gattbench why --keys bonds.keys sniffed.pcapng
              gattbench why --json bugreport.zip | jq '.incidents[] | select(.confidence == "certain")'
              gattbench why monday.pcapng tuesday.pcapng
              gattbench why --join btsnoop_hci.log.last btsnoop_hci.log
            """)

    @Argument(help: "A capture file; - is standard input.")
    var file: String

    @Argument(help: "More captures: one after the other, with --join as one.")
    var more: [String] = []

    @OptionGroup var joining: JoinArguments

    @OptionGroup var devices: DeviceArguments

    @OptionGroup var keys: KeyArguments

    @Option(help: ArgumentHelp("Explain only what failed on this connection.", valueName: "number"))
    var connection: Int?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var captures: CaptureArguments

    @OptionGroup var terminal: TerminalArguments

    func validate() throws {
        try keys.refuse(sharing: [file] + more)
        if let connection, connection < 1 { throw ValidationError("--connection \(connection): expected 1 or more") }
    }

    func run() async throws {
        Interruption.watch()
        Pager.use()
        var job = WhyJob()
        job.plugins = try devices.loadPlugins().plugins
        job.importedTables = try devices.readTables()
        job.keys = try keys.read()
        job.connection = connection
        let isOne = more.isEmpty || joining.join
        var lists: [IncidentList] = []
        var hasUnread = false
        for paths in isOne ? [[file] + more] : ([file] + more).map({ [$0] }) where !Interruption.isAsked {
            do {
                let list = try await explain(paths, job)
                if !json { try write(list, isFirst: lists.isEmpty) }
                lists.append(list)
            } catch let error as CaptureError where !isOne {
                Console.note("\(error)")
                hasUnread = true
            }
        }
        if json { try Console.write(IncidentJSON.text(lists, isArray: !isOne)) }
        try end(lists, hasUnread: hasUnread)
    }

    private func explain(_ paths: [String], _ job: WhyJob) async throws -> IncidentList {
        let opened = try captures.open(paths, joining)
        var progress = Progress(opened.reader)
        let list = try await job.run(opened.source) { frames in
            progress.show(frames)
            return !Interruption.isAsked
        }
        Console.note(opened)
        return list
    }

    private func write(_ list: IncidentList, isFirst: Bool) throws {
        let text = IncidentText(paint: Console.wantsColor ? .ansi : .none).text(list)
        try Console.write(painted: (isFirst ? "" : "\n") + text)
    }

    /// Throws the exit code that the incidents require.
    private func end(_ lists: [IncidentList], hasUnread: Bool) throws {
        let outcomes = lists.map(\.outcome)
        if outcomes.contains(.explained) { throw ExitCode(Exit.findings) }
        if hasUnread { throw ExitCode(Exit.unreadable) }
        if outcomes.contains(.unexplained) { throw ExitCode(Exit.inconclusive) }
    }
}
