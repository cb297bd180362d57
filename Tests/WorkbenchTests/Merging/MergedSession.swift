import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit
import Workbench

/// One session in both views: the log of the phone, and what a sniffer hears.
final class MergedSession {
    let host = HCISession()
    let air = AirSession()
    private(set) var hostLink: HCILink
    private(set) var airLink: AirLink
    private let offset: TimeSpan
    private let drift: Double
    private let start: Timestamp
    private var elapsed = TimeSpan.zero

    static let phone = DeviceAddress(Address("c0:00:00:00:00:10")!, .random)
    static let puck = DeviceAddress(Address("c0:00:00:00:00:01")!, .random)

    /// - Parameters:
    ///   - offset: time by which the sniffer's clock is behind at the start.
    ///   - drift: seconds that the sniffer's clock loses in a second.
    init(offset: TimeSpan = .zero, drift: Double = 0) {
        (self.offset, self.drift) = (offset, drift)
        start = host.recording.time
        air.recording.pace = 200_000
        air.recording.time = start - offset
        airLink = air.connect(Self.phone, to: Self.puck)
        host.recording.time = start + TimeSpan(milliseconds: 2)
        hostLink = host.connect(to: Self.puck)
    }

    /// Advances time, then records one PDU in both views. What the phone sends is heard 12 ms later, what it receives
    /// 2 ms before.
    func pass(
        after milliseconds: Int64 = 200, _ direction: Direction, isLogged: Bool = true, isHeard: Bool = true,
        _ record: (any ScriptedLink) -> Void
    ) {
        elapsed += TimeSpan(milliseconds: milliseconds)
        let (sent, heard): (Int64, Int64) = direction == .sent ? (0, 12) : (2, 0)
        host.recording.time = start + elapsed + TimeSpan(milliseconds: sent)
        let onAir = elapsed + TimeSpan(milliseconds: heard)
        air.recording.time = start + onAir - offset - TimeSpan(clamping: onAir.seconds * drift)
        if isLogged { record(hostLink) }
        airLink.isHeard = isHeard
        record(airLink)
        // The peer acknowledges.
        airLink.acknowledge(direction.opposite)
        airLink.isHeard = true
    }

    /// Notifications of a counter, every fourth PDU a read.
    func traffic(_ count: Int, every milliseconds: Int64 = 200) {
        for number in 0..<count {
            let value = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8), 0x5A]
            if number % 4 == 3 {
                pass(after: milliseconds, .sent) { $0.request(ATT.ReadRequest(handle: Handle(0x0012))) }
                pass(after: 20, .received) { $0.respond(ATT.ReadResponse(value: value + [1, 2])) }
            } else {
                pass(after: milliseconds, .received) { $0.notify(Handle(0x0010), value) }
            }
        }
    }

    /// Removes packets at random.
    static func lose(_ share: Double, of recording: Recording, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // The connection's start is kept: without it, HCI does not name the device.
        recording.packets = recording.packets.enumerated().filter { index, _ in
            Double(random.next() >> 11) / Double(1 << 53) >= share || index == 0
        }.map(\.element)
    }

    /// Writes both captures; returns their paths.
    func write(to folder: TemporaryFolder) throws -> (host: String, air: String) {
        (
            try folder.file("phone.btsnoop", host.recording.btsnoop()),
            try folder.file("sniffer.pcapng", air.recording.file(.pcapng, .linkLayerWithHeader))
        )
    }
}

/// Merges files of a folder into `merged.pcapng` there.
func merge(
    _ paths: [String], in folder: TemporaryFolder, _ change: (inout MergeOptions) -> Void = { _ in }
) throws -> MergeReport {
    var job = MergeJob()
    change(&job.options)
    return try job.run(try paths.map { try CaptureReader(path: $0) }, to: folder.path("merged.pcapng"))
}
