import Foundation
import PDUTestKit
import TestKit
import Testing
import Transports

/// The live-capture commands, run as child processes.
@Suite(.enabled(if: DocumentedPage.program != nil, "the program is not built"))
struct LiveCommandTests {
    private let folder: TemporaryFolder
    /// An advertising report with the name Puck, as a btsnoop record.
    private let record: [UInt8]
    private let header = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
    /// The report as an H4 packet.
    private let report: [UInt8] = [
        0x04, 0x3E, 0x12, 0x02, 0x01, 0x00, 0x01, 0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0, 0x06, 0x05, 0x09, 0x50, 0x75,
        0x63, 0x6B, 0xD8,
    ]

    init() throws {
        folder = try TemporaryFolder()
        let length: [UInt8] = [0, 0, 0, UInt8(report.count)]
        record = length + length + [0, 0, 0, 3, 0, 0, 0, 0, 0x00, 0xE3, 0x42, 0xCB, 0x9C, 0x4D, 0x6C, 0x80] + report
    }

    @Test func aPipeIsDecodedPacketByPacket() throws {
        let sniff = try RunningProgram([
            "sniff", "-", "-T", "fields", "-e", "frame.number", "-w", folder.path("a.btsnoop"),
        ])
        sniff.write(header)
        for number in 1...3 {
            sniff.write(record)
            #expect(sniff.readLine() == "\(number)")
        }
        sniff.closeInput()
        #expect(sniff.finish() == 0)
        #expect(try folder.bytes("a.btsnoop") == header + record + record + record)
    }

    /// The advertising reports that another host received: nothing is sent.
    @Test func aScanTakesAStream() throws {
        let path = folder.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        // Open for both, the pipe keeps what is written until it is read.
        let pipe = open(path, O_RDWR)
        try #require(pipe >= 0)
        defer { close(pipe) }
        let reset: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 2] + Array(record[12..<24]) + [1, 3, 0x0C, 0]
        let bytes = header + reset + record
        #expect(write(pipe, bytes, bytes.count) == bytes.count)
        let scan = try RunningProgram([
            "scan", "--transport", "stream:\(path)", "-c", "2", "-T", "fields", "-e", "frame.number",
        ])
        #expect(scan.readLine() == "2")
        #expect(scan.finish() == 0)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalEndsItWithAWholeFile(signal: Int32) throws {
        let sniff = try RunningProgram([
            "sniff", "-", "-T", "fields", "-e", "frame.number", "-w", folder.path("b.btsnoop"),
        ])
        sniff.write(header + record + record)
        #expect(sniff.readLine() == "1")
        #expect(sniff.readLine() == "2")
        kill(sniff.pid, signal)
        #expect(sniff.finish() == 0)
        #expect(try folder.bytes("b.btsnoop") == header + record + record)
    }

    @Test func whatIsKilledLeavesAFile() throws {
        let sniff = try RunningProgram(["sniff", "-", "-q", "-w", folder.path("c.btsnoop")])
        sniff.write(header + record)
        let whole = header.count + record.count
        let end = Date(timeIntervalSinceNow: 30)
        while ((try? folder.bytes("c.btsnoop").count) ?? 0) < whole, Date() < end {
            usleep(10_000)
        }
        kill(sniff.pid, SIGKILL)
        _ = sniff.finish()
        #expect(try folder.bytes("c.btsnoop") == header + record)
    }

    @Test func aStreamOfNoPacketsIsToldOf() throws {
        let sniff = try RunningProgram(["sniff", "-"])
        sniff.closeInput()
        #expect(sniff.finish() == 3)
        #expect(sniff.messages.contains("standard input: is empty; a capture was expected"))
    }

    @Test(arguments: [["-nr"], ["-Vnc1", "-r"], ["-Vxc1"], ["-n", "-c1", "-r"]])
    func shortOptionsAreReadAsGetoptDoes(options: [String]) throws {
        let capture = Repository.path("captures/two-peers-equal-handles/capture.btsnoop")
        let decode = try RunningProgram(["decode"] + options + [capture])
        let lines = decode.readAll().split(separator: "\n")
        #expect(decode.finish() == 0)
        #expect(lines.contains { $0.contains("HCI H4") } == options[0].contains("V"))
        #expect(lines.contains { $0.hasPrefix("2  ") } == (options == ["-nr"]))
    }

    @Test func anH4LinkIsListenedTo() throws {
        let link = folder.path("link")
        let sniff = try RunningProgram([
            "sniff", "unix-server:\(link)", "-T", "fields", "-e", "btcommon.eir_ad.entry.device_name", "-c", "2",
        ])
        let client = try Attachment(path: link)
        client.send(report)
        client.send(report)
        #expect(sniff.readLine() == "Puck")
        #expect(sniff.readLine() == "Puck")
        #expect(sniff.finish() == 0)
    }

    @Test func aProxyHandsOnEveryByte() throws {
        let ends = (host: folder.path("host"), controller: folder.path("controller"))
        let proxy = try RunningProgram([
            "proxy", "--host", "unix-server:\(ends.host)", "--controller", "unix-server:\(ends.controller)", "-c", "2",
            "-T", "fields", "-e", "hci_h4.direction", "-w", folder.path("proxy.pcapng"),
        ])
        let controller = try Attachment(path: ends.controller)
        let host = try Attachment(path: ends.host)
        let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
        controller.send(report)
        #expect(host.receive() == report)
        #expect(proxy.readLine() == "0x01")
        host.send(reset)
        #expect(controller.receive() == reset)
        #expect(proxy.readLine() == "0x00")
        #expect(proxy.finish() == 0)
    }

    @Test(
        .enabled(if: !MachineFacts.gather().hasBluetooth, "this kernel supports Bluetooth"),
        arguments: [
            ["sniff", "monitor"], ["sniff", "hci0"], ["sniff", "pcap:bluetooth-monitor"],
            ["scan", "--transport", "hci-socket:0"],
            ["proxy", "--host", "tcp-server:_:0", "--controller", "hci-socket:0"],
        ])
    func aKernelWithoutBluetoothIsToldOf(arguments: [String]) throws {
        let program = try RunningProgram(arguments)
        #expect(program.finish() == 3)
        #expect(program.messages.contains("Address family not supported by protocol"))
        #expect(program.messages.contains("sudo modprobe bluetooth"))
    }

    @Test(.enabled(if: !MachineFacts.gather().hasBluetooth, "this kernel supports Bluetooth"))
    func theDoctorSaysThatThereIsNoBluetooth() throws {
        let doctor = try RunningProgram(["doctor"])
        let output = doctor.readAll()
        #expect(doctor.finish() == 1)
        #expect(output.contains("error kernel "))
        #expect(output.hasSuffix("not ready to sniff or emulate\n"))
    }

    @Test(arguments: [
        ["sniff", "nothing"], ["sniff", "monitor", "-f", "x"], ["sniff", "-", "-b", "filesize:1"],
        ["proxy", "--host", "radio:", "--controller", "tcp-client:_:1"], ["scan", "--transport", "radio:"],
        ["--extcap-interface", "eth0", "--capture", "--fifo", "x"], ["sniff", "-", "--junit", "x.xml"],
        ["sniff", "-", "--check", "--json"],
    ])
    func wrongUseIsRefused(arguments: [String]) throws {
        #expect(try RunningProgram(arguments).finish() == 2)
    }
}

/// A child process of our program.
final class RunningProgram {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let folder: TemporaryFolder
    /// Output that was read and not returned yet.
    private var pending: [UInt8] = []

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        process.executableURL = URL(filePath: try #require(DocumentedPage.program))
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "NO_COLOR": "1"].merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: URL(filePath: folder.file("messages", [])))
        try process.run()
    }

    deinit { if process.isRunning { kill(pid, SIGKILL) } }

    var pid: Int32 { process.processIdentifier }
    /// The standard error output so far.
    var messages: String { (try? folder.text("messages")) ?? "" }

    func write(_ bytes: [UInt8]) { input.fileHandleForWriting.write(Data(bytes)) }
    func closeInput() { try? input.fileHandleForWriting.close() }

    /// Waits for the next output line; nil at the end.
    func readLine() -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            pending += data
        }
    }

    func readAll() -> String {
        String(decoding: pending + output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// Waits for the exit; returns the status, or the number of the signal.
    func finish() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// A client of a link that our program serves.
private final class Attachment {
    private var loop = TransportLoop()
    private var received: [[UInt8]] = []

    /// Connects as soon as a server listens.
    init(path: String) throws {
        let end = Date(timeIntervalSinceNow: 30)
        while true {
            do {
                loop.add(try TransportOpener().open(.unix(path: path)))
                return
            } catch {
                guard Date() < end else { throw error }
                usleep(10_000)
            }
        }
    }

    deinit { loop.close() }

    func send(_ packet: [UInt8]) { _ = loop.transports[0].send(packet, at: loop.now) }

    func receive() -> [UInt8]? {
        let end = Date(timeIntervalSinceNow: 30)
        while received.isEmpty, Date() < end {
            for case (_, .packet(let packet, _)) in loop.wait(until: nil) { received.append(packet) }
        }
        return received.isEmpty ? nil : received.removeFirst()
    }
}
