import ArgumentParser
import Captures
import Transports
import Workbench

/// What Wireshark calls: the program itself, with options of its extcap interface instead of a command.
struct ExtcapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "extcap", shouldDisplay: false)

    @Flag var extcapInterfaces = false
    @Option var extcapVersion: String?
    @Option var extcapInterface: String?
    @Flag var extcapDlts = false
    @Flag var extcapConfig = false
    @Option var extcapReloadOption: String?
    @Option var extcapCaptureFilter: String?
    @Flag var capture = false
    @Option var fifo: String?
    @Option var spec = ""

    /// Answers Wireshark; opens what it wants to capture from, if it does.
    func open() throws -> (any LiveCapture)? {
        if extcapInterfaces {
            try Console.write(Extcap.interfaces(adapters: Adapters.numbers))
            return nil
        }
        guard let name = extcapInterface, let interface = Extcap.Interface(name: name) else {
            throw UsageError("unknown --extcap-interface; --extcap-interfaces lists them")
        }
        if extcapDlts { try Console.write(interface.linkTypes) }
        if extcapConfig { try Console.write(interface.configuration) }
        guard capture else { return nil }
        if interface == .link, spec.isEmpty {
            throw UsageError("set the link in the interface's options, e.g. tcp-client:localhost:6402")
        }
        do {
            return try interface.source(spec: spec).open(stays: true)
        } catch {
            // Whoever waits at the other end of the pipe learns that nothing will come.
            if let fifo { _ = try? FileDescriptor.writing(fifo) }
            throw error
        }
    }

    /// Captures into Wireshark's pipe until it closes it, or says so.
    func run(_ capture: any LiveCapture) async throws {
        guard let fifo else { throw UsageError("--capture goes with --fifo PATH") }
        var options = LiveOptions()
        options.recording = RecordingOptions(path: fifo, format: .pcap, isForReader: true)
        // A signal ends the program at once, even where it waits for a full pipe: nothing is kept back from the pipe.
        // Wireshark takes whatever is said on standard error for a failure.
        let feed = try LiveFeed(capture, options, isInterrupted: { false }, report: { _ in })
        while let batch = try await feed.next() { feed.reuse(batch) }
        _ = try await feed.end()
    }
}
