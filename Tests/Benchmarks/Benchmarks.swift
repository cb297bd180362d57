import Glibc
import PDUTestKit
import TestKit

/// Compares gattbench with tshark on generated traffic, and prints the table.
///
///     gattbench-benchmarks GATTBENCH PACKETS MORE-PACKETS     measure
///     gattbench-benchmarks traffic PACKETS FILE               write the traffic only
///     gattbench-benchmarks values                             measure value decoding only
///     gattbench-benchmarks strangers                          measure the cost of plugins for unmatched devices only
///     gattbench-benchmarks devices                            measure virtual devices only
///     gattbench-benchmarks shrink                             measure how far planted faults are shrunk only
///     gattbench-benchmarks proxy GATTBENCH                    measure the delay that the proxy adds only
@main
struct Benchmarks {
    private let gattbench: String
    private let packets: Int
    private let morePackets: Int
    private let tshark: String?
    private let folder: TemporaryFolder

    /// Number of packets for tshark, except in `check`.
    private static let tsharkPackets = 200_000
    /// Rounds of both programs, and rounds of `check`, which takes tshark half a minute.
    private static let rounds = 7
    private static let checkRounds = 3

    static func main() async {
        let arguments = CommandLine.arguments
        do {
            if arguments.count == 4, arguments[1] == "traffic", let packets = Int(arguments[2]), packets > 0 {
                try PuckTraffic.write(packets, to: arguments[3])
            } else if arguments.count == 2, arguments[1] == "values" {
                print(try ValueReading().measured())
            } else if arguments.count == 2, arguments[1] == "strangers" {
                print(try await Strangers().measured())
            } else if arguments.count == 2, arguments[1] == "devices" {
                for row in try VirtualDevices().measured() { print(Report.line(row)) }
            } else if arguments.count == 2, arguments[1] == "shrink" {
                print(try await Shrinking().measured())
            } else if arguments.count == 3, arguments[1] == "proxy" {
                print(try ProxyDelay(gattbench: arguments[2]).measured())
            } else if arguments.count == 4, let packets = Int(arguments[2]), let more = Int(arguments[3]), packets > 0 {
                try await Self(gattbench: arguments[1], packets: packets, morePackets: max(packets, more))
                    .run()
            } else {
                note(
                    "usage: gattbench-benchmarks GATTBENCH PACKETS MORE-PACKETS | traffic PACKETS FILE | values | strangers | devices | shrink | proxy GATTBENCH"
                )
                exit(2)
            }
        } catch {
            note("\(error)")
            exit(3)
        }
    }

    private init(gattbench: String, packets: Int, morePackets: Int) throws {
        self.gattbench = gattbench
        self.packets = packets
        self.morePackets = morePackets
        tshark = (try? Child("tshark", ["--version"]).run()) == nil ? nil : "tshark"
        folder = try TemporaryFolder()
    }

    private func run() async throws {
        let files = ["capture", "start", "more"].map { folder.path("\($0).btsnoop") }
        Self.note("writing \(packets) packets")
        try PuckTraffic.write(packets, to: files[0])
        var report = Report(packets: packets, tshark: tshark)
        if tshark != nil {
            try PuckTraffic.write(min(packets, Self.tsharkPackets), to: files[1])
        } else {
            Self.note("there is no tshark here: only gattbench is measured")
        }
        for comparison in Comparison.all {
            Self.note("measuring \(comparison.title)")
            let ours = Child(gattbench, comparison.ours + [files[0]])
            let theirs = tshark.map { Child($0, ["-r", files[1]] + comparison.theirs) }
            let costs = try Child.medians(of: Self.rounds, [ours] + (theirs.map { [$0] } ?? []))
            report.add(
                comparison, ours: costs[0], rate: Double(packets) / costs[0].seconds,
                tsharkRate: costs.dropFirst().first.map { Double(min(packets, Self.tsharkPackets)) / $0.seconds })
        }
        Self.note("measuring check")
        let check = Comparison.check
        let costs = try Child.medians(
            of: Self.checkRounds,
            [Child(gattbench, check.ours + [files[0]], exits: [0, 1]), Child(gattbench, ["stats", files[0]])]
                + (tshark.map { [Child($0, ["-r", files[0]] + check.theirs)] } ?? []))
        report.add(
            check, ours: costs[0], rate: Double(packets) / costs[0].seconds,
            tsharkRate: costs.dropFirst(2).first.map { Double(packets) / $0.seconds })
        report.addCheck(costs[0], statistics: costs[1])
        if morePackets > packets {
            unsafe unlink(files[0])
            Self.note("writing \(morePackets) packets")
            try PuckTraffic.write(morePackets, to: files[2])
            for comparison in Comparison.all {
                Self.note("measuring \(comparison.title)")
                report.add(comparison, packets: morePackets, try Child(gattbench, comparison.ours + [files[2]]).run())
            }
        }
        report.addValue(try ValueReading().measured())
        Self.note("measuring plugins that do not match")
        report.addStrangers(try await Strangers().measured())
        Self.note("measuring the proxy")
        report.addProxy(try ProxyDelay(gattbench: gattbench).measured())
        Self.note("measuring virtual devices")
        for row in try VirtualDevices().measured() { report.add(row) }
        report.addStart(try Child(gattbench, ["--version"]).median(of: 21))
        try PuckTraffic.write(Comparison.smallCapture, to: files[0])
        report.addSmall(try Child(gattbench, ["decode", files[0]]).median(of: 21))
        print(report.markdown)
    }

    private static func note(_ text: String) {
        let line = Array("benchmarks: \(text)\n".utf8)
        unsafe line.withUnsafeBytes { buffer in _ = unsafe write(STDERR_FILENO, buffer.baseAddress, buffer.count) }
    }
}
