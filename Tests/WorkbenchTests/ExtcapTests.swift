import Bytes
import Foundation
import PDUTestKit
import TestKit
import Testing
import Transports
import Workbench

/// Wireshark's extcap calls to the program, and tshark's use of them.
@Suite struct ExtcapTests {
    @Test func theInterfacesAreListed() {
        #expect(
            Extcap.interfaces(adapters: [0, 3]).split(separator: "\n").dropFirst() == [
                "interface {value=gattbench-monitor}{display=gattbench: all Bluetooth adapters (HCI monitor)}",
                "interface {value=gattbench-hci0}{display=gattbench: Bluetooth adapter hci0}",
                "interface {value=gattbench-hci3}{display=gattbench: Bluetooth adapter hci3}",
                "interface {value=gattbench-link}{display=gattbench: Bluetooth HCI on an H4 link}",
                "interface {value=gattbench-firmware}{display=gattbench: Bluetooth HCI of a firmware (monitor protocol)}",
                "interface {value=gattbench-stream}{display=gattbench: a capture over TCP, a socket or a pipe}",
            ])
    }

    @Test(arguments: [
        ("gattbench-monitor", 254, ""), ("gattbench-hci0", 254, ""), ("gattbench-link", 201, "unix:a"),
        ("gattbench-firmware", 254, "tty:/dev/ttyACM0"),
        ("gattbench-stream", 201, "tcp-client:localhost:24352,reconnect"),
    ])
    func anInterfaceTellsItsLinkType(name: String, linkType: Int, spec: String) throws {
        let interface = try #require(Extcap.Interface(name: name))
        #expect(interface.name == name)
        #expect(interface.linkTypes.hasPrefix("dlt {number=\(linkType)}"))
        #expect(interface.configuration.isEmpty == spec.isEmpty)
        #expect(throws: Never.self) { try interface.source(spec: spec) }
    }

    @Test(arguments: ["gattbench-firmware", "gattbench-stream", "gattbench-link"])
    func aLinkOfAnotherKindIsRefused(name: String) throws {
        let interface = try #require(Extcap.Interface(name: name))
        #expect(throws: SpecError.self) { try interface.source(spec: "monitor") }
    }

    @Test(arguments: ["", "eth0", "gattbench-", "gattbench-hci", "gattbench-hci70000"])
    func anotherNameIsNoInterface(name: String) {
        #expect(Extcap.Interface(name: name) == nil)
    }

    /// Runs tshark as a user for whom our program is installed.
    private func tshark(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let home = try TemporaryFolder()
        let environment = ["PATH": "/usr/bin:/bin", "HOME": home.path, "LC_ALL": "C.UTF-8"]
        let install = try RunningProgram(["wireshark", "install"], environment: environment)
        #expect(install.readAll().hasPrefix("linked \(home.path)/"))
        #expect(install.finish() == 0)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = ["60", "tshark"] + arguments
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test(.enabled(if: canRun, "tshark or the program is missing"))
    func tsharkListsUs() throws {
        let (status, output) = try tshark(["-D"])
        #expect(status == 0)
        #expect(output.contains("gattbench-monitor (gattbench: all Bluetooth adapters (HCI monitor))"))
        #expect(output.contains("gattbench-link (gattbench: Bluetooth HCI on an H4 link)"))
    }

    @Test(.enabled(if: canRun, "tshark or the program is missing"))
    func tsharkCapturesFromUs() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("h4")
        // HCI Reset and its response, repeatedly, to each client.
        let server = try RunningServer(path: path, packets: [[1, 3, 12, 0], [4, 14, 4, 1, 3, 12, 0]])
        defer { server.end() }
        let (status, output) = try tshark([
            "-i", "gattbench-link", "-o", "extcap.gattbench_link.spec:unix:\(path)", "-c", "4", "-T", "fields",
            "-e", "bthci_cmd.opcode", "-e", "bthci_evt.code",
        ])
        #expect(status == 0)
        #expect(output == "0x0c03\t\n\t0x0e\n0x0c03\t\n\t0x0e\n")
    }

    private static let canRun = DocumentedPage.program != nil && DocumentedPage.isInstalled("tshark")
}

/// A Unix socket that sends packets repeatedly.
private final class RunningServer: Sendable {
    private let stop = DispatchSemaphore(value: 0)

    init(path: String, packets: [[UInt8]]) throws {
        let link = try TransportOpener().open(.unixServer(path: path))
        let handover = Handover(link)
        Thread { [stop] in
            var loop = TransportLoop()
            loop.add(handover.link)
            var isAttached = false
            while stop.wait(timeout: .now()) == .timedOut {
                for (_, event) in loop.wait(until: loop.now + .milliseconds(isAttached ? 5 : 200)) {
                    if case .connected = event { isAttached = true }
                    if case .disconnected = event { isAttached = false }
                }
                if isAttached { for packet in packets { _ = handover.link.send(packet, at: loop.now) } }
            }
            loop.close()
        }.start()
    }

    func end() { stop.signal() }

    /// Transfers a link to the thread that then uses it exclusively.
    private final class Handover: @unchecked Sendable {
        let link: any Transport

        init(_ link: any Transport) {
            self.link = link
        }
    }
}
