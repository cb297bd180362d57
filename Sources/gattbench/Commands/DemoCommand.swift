import ArgumentParser
import Glibc
import Workbench

/// `gattbench demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show all of it in some seconds: a device, an app, a recording, a verdict. Needs no hardware.",
        discussion: """
            A smart-bottle puck and an app live through a morning on the virtual radio, in virtual time. What passes is
            decoded while it happens, recorded and judged; a fault is put in, so that there is something to find. Capture,
            JUnit and report are left in the folder.
            """)

    @Option(help: ArgumentHelp("The folder that capture and reports are left in.", valueName: "folder"))
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
