import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit
import Workbench

/// Measures `shrink`: sessions with one planted fault each, and the smallest part that still breaks the rule.
struct Shrinking {
    struct Result: CustomStringConvertible {
        var packets: Int
        var sizes: [Int]
        var seconds: [Double]

        var median: Int { sizes.sorted()[sizes.count / 2] }
        var longest: Double { seconds.max() ?? 0 }

        var description: String {
            "\(sizes.count) planted faults in sessions of \(packets) packets: \(median) packets show one (median, "
                + "\(sizes.max() ?? 0) at most), \(Double(Int(longest * 100)) / 100) s at most"
        }
    }

    /// The largest permitted median in packets, and the longest permitted time in seconds.
    static let (limit, timeLimit) = (30, 30.0)

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// A rule and what breaks it, in the second of three connections.
    private static let faults: [(rule: String, record: @Sendable (HCILink) -> Void)] = [
        (
            "CORE-ATT-01",
            { link in
                link.request(ATT.ReadRequest(handle: 0x0003))
                link.request(ATT.ReadRequest(handle: 0x0006))
                link.respond(ATT.ReadResponse(value: [1]))
                link.respond(ATT.ReadResponse(value: [2]))
            }
        ),
        ("CORE-ATT-08", { $0.exchangeMTU(client: 247, server: 185) }),
        ("CORE-ATT-13", { $0.carry([0x0A, 0x03], on: .att, .sent) }),
        ("CORE-L2CAP-12", { $0.carry([1, 2, 3], on: L2CAP.ChannelID(rawValue: 0x0050), .sent) }),
    ]

    func measured(packets: Int = 10_000) async throws -> Result {
        var check = CheckJob()
        check.plugins = try PluginLibrary.builtIn().plugins
        check.shardCount = 1
        var job = ShrinkJob()
        job.decoding.plugins = check.plugins
        var result = Result(packets: packets, sizes: [], seconds: [])
        for fault in Self.faults {
            let bytes = try session(packets, fault.record).recording.btsnoop()
            let start = ContinuousClock.now
            let stored = try StoredPackets(reading: CaptureReader(source: ByteSource(bytes: bytes, name: fault.rule)))
            let outcome = try await job.run(stored, ShownBreach(fault.rule, of: stored, checkedBy: check))
            result.seconds.append((ContinuousClock.now - start) / .seconds(1))
            result.sizes.append(outcome.frames.count)
        }
        guard result.median <= Self.limit, result.longest <= Self.timeLimit else {
            throw Failure(
                description: "\(result); \(Self.limit) packets and \(Self.timeLimit) s are the limits")
        }
        return result
    }

    private func session(_ packets: Int, _ record: (HCILink) -> Void) -> HCISession {
        let session = HCISession()
        let peers = [Cast.counter, Cast.puck, Cast.phone]
        for peer in peers { session.report(peer, [.completeLocalName("Device")]) }
        let links = peers.map { session.connect(to: $0) }
        for link in links {
            link.exchangeMTU(client: 247, server: 185)
            link.discover(Cast.battery)
            link.subscribe(Cast.battery[0x2A19, 0x2902])
        }
        var isRecorded = false
        while session.recording.packets.count < packets {
            for link in links {
                link.notify(Cast.battery[0x2A19], [UInt8(session.recording.packets.count % 100)])
                link.read(Cast.battery[0x2A19], [50])
            }
            if !isRecorded, session.recording.packets.count > packets / 2 {
                record(links[1])
                isRecorded = true
            }
        }
        for link in links { link.disconnect() }
        return session
    }
}
