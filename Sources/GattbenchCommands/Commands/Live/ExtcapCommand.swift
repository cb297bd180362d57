import ArgumentParser
import Captures
import Transports
import Workbench

/// Wireshark's entry point: the program with extcap options instead of a command.
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

    /// Replies to Wireshark; opens the capture if it requests one.
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
        if let syntax = interface.specSyntax, spec.isEmpty {
            throw UsageError("set the link in the interface's options: \(syntax)")
        }
        do {
            return try interface.source(spec: spec).open(stays: true)
        } catch {
            // Opening and closing the pipe ends the reader's wait for packets.
            if let fifo { _ = try? FileDescriptor.writing(fifo) }
            throw error
        }
    }

    /// Captures into Wireshark's pipe until Wireshark closes it or sends a signal.
    func run(_ capture: any LiveCapture) async throws {
        guard let fifo else { throw UsageError("--capture goes with --fifo PATH") }
        var options = LiveOptions()
        options.recording = RecordingOptions(path: fifo, format: .pcap, isForReader: true)
        // A signal ends the program at once, even during a write to a full pipe: no packets are buffered. Wireshark
        // treats any output on standard error as a failure.
        let feed = try LiveFeed(capture, options, isInterrupted: { false }, report: { _ in })
        while let batch = try await feed.next() { feed.reuse(batch) }
        _ = try await feed.end()
    }
}
