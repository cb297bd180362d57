import ArgumentParser
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
            live, recorded and checked; one fault is injected. Capture, JUnit file and report are written to the folder.
            """)

    @Option(help: ArgumentHelp("Output folder for capture and reports.", valueName: "folder"))
    var out = "gattbench-demo"

    func run() async throws {
        Interruption.watch()
        let paint: Paint = Console.wantsColor ? .ansi : .none
        let outcome = try await DemoJob(folder: out, paint: paint, width: Console.width).run(
            isInterrupted: { Interruption.isAsked },
            write: { text in
                try Console.write(text)
                // Somebody who looks on wants to see it happen.
                if Console.wantsColor, !Interruption.isAsked { usleep(20_000) }
            })
        for failure in outcome.failures { Console.note(failure) }
        if !outcome.failures.isEmpty { throw ExitCode(Exit.findings) }
    }
}
