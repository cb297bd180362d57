import ArgumentParser
import Captures
import Glibc
import Output
import Workbench

/// `gattbench demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Emulate, record, decode and check a device in a few seconds; needs no hardware.",
        discussion: """
            Simulates a morning of a smart-bottle puck and its app on the virtual radio, in virtual time. The traffic is decoded
            live, recorded and checked; one fault is injected. Then a gateway keeps the events of a people counter, and reports
            them. Capture, JUnit file, report and store are written to the folder.
            """)

    @Option(help: ArgumentHelp("Output folder for capture and reports.", valueName: "folder"))
    var out = "gattbench-demo"

    @OptionGroup var terminal: TerminalArguments

    func run() async throws {
        Interruption.watch()
        let paint: Paint = Console.wantsColor ? .ansi : .none
        let job = try DemoJob(folder: out, paint: paint, width: Console.width)
        let path = "\(out)/\(DemoJob.storeName)"
        for suffix in ["", "-wal", "-shm"] { try? Folder.remove(path + suffix) }
        let outcome = try await job.run(
            store: StoreFile.open(path), isInterrupted: { Interruption.isAsked },
            write: { text in
                try Console.write(painted: text)
                // Slow down for a person who watches.
                if Console.wantsColor, !Interruption.isAsked { usleep(20_000) }
            },
            report: {
                let words = "report --capacity 40 --boundary-hour 8 --time-zone UTC --now 2026-03-02T12:00:00Z --store"
                try PluginCommands(["lifecount"] + words.split(separator: " ").map { String($0) } + [path])?.run()
            })
        for failure in outcome.failures { Console.note(failure) }
        if !outcome.failures.isEmpty { throw ExitCode(Exit.findings) }
    }
}
