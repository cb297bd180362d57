import Bluetooth
import Captures
import Conformance
import Conversation
import Foundation
import PDUTestKit
import PluginKit
import TestKit
import Testing
import Workbench

/// Missing packets make a rule inconclusive; they never make it fail.
///
/// All variants of all captures take two minutes on two cores in a debug build.
struct MissingPacketsTests {
    private static let own = Repository.captures(in: "captures")
    private static let shared = Repository.captures(in: "../shared/captures")

    @Test(arguments: own)
    func ownCaptures(_ capture: String) throws { try checkVariants(of: capture) }

    @Test(.enabled(if: !shared.isEmpty, "../shared/captures is not there"), arguments: shared)
    func sharedCaptures(_ capture: String) throws { try checkVariants(of: capture) }

    /// A confirmation shows that an indication is missing, and an indication of an unknown attribute may be Service
    /// Changed: a later value may belong to another attribute than before. Frame 21 is the indication, frame 7 declares
    /// its characteristic.
    @Test(arguments: [20, 6])
    func aTableMayHaveChangedWithoutAnythingThatTellsSo(_ missing: Int) throws {
        let subject = try LossSubject("captures/service-changed/capture.btsnoop")
        let variant = LossyVariant(loss: .frames([missing]))
        #expect(subject.brokenRules(of: variant.applied(to: subject.packets))["BT-001"] == nil)
    }

    private func checkVariants(of capture: String) throws {
        let subject = try LossSubject(capture)
        let broken = subject.brokenRules(of: subject.packets)
        guard subject.packets.packets.count > 1 else { return }
        let count = subject.packets.packets.count
        for variant in LossyVariant.all(frames: count, isOnAir: subject.isOnAir, seed: UInt64(count)) {
            let found = subject.brokenRules(of: variant.applied(to: subject.packets))
            let isUntraced = variant.isDrop && !variant.isCounted && !subject.isOnAir
            let accused = found.filter { rule, _ in
                if broken[rule] != nil || isUntraced && UntracedLoss.excuses(rule) { return false }
                return !UndiscoveredChange.excuses(rule, variant, of: capture)
            }
            #expect(
                accused.isEmpty,
                "\(variant): \(accused.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: "; "))")
        }
    }
}

/// A capture, with the plugins and tables to check it with.
struct LossSubject {
    let packets: PacketBatch
    private let plugins: PluginSet
    private let tables: GATT.KnownTables

    init(_ capture: String) throws {
        let url = Repository.url(capture)
        var packets = PacketBatch()
        let reader = try CaptureReader(path: url.path)
        while let batch = try reader.next() {
            let start = packets.bytes.count
            packets.bytes += batch.bytes
            packets.packets += batch.packets.map { packet in
                var packet = packet
                packet.start += start
                return packet
            }
        }
        self.packets = packets
        let table = url.deletingLastPathComponent().appending(path: "gatt.json").path
        tables = try FileManager.default.fileExists(atPath: table) ? GATTFiles.read(table) : GATT.KnownTables()
        plugins = try PluginLibrary.builtIn().plugins
    }

    var isOnAir: Bool {
        switch packets.packets.first?.encapsulation {
        case .linkLayer, .linkLayerWithHeader, .nordic, .ppi: true
        default: false
        }
    }

    /// The rules of severity error and warning that fail, with the first finding of each.
    func brokenRules(of packets: PacketBatch) -> [String: String] {
        let follower = ConversationTracker(plugins, imported: tables)
        var check = judge(packets, follower)
        if check.hasMissed { check = judge(packets, follower.restarted()) }
        let report = check.finish()
        var broken: [String: String] = [:]
        for result in report.results where [.fail, .warning].contains(result.verdict) {
            let finding = result.tally.findings.first
            broken[report.rules[result.rule].id] =
                "frame \(finding?.moments.last?.frame ?? 0), \(finding?.observed ?? "")"
        }
        return broken
    }

    private func judge(_ packets: PacketBatch, _ follower: ConversationTracker) -> ConformanceCheck {
        let check = ConformanceCheck(plugins: plugins)
        var batch = TrackedBatch()
        batch.fill(packets)
        follower.follow(&batch)
        check.check(batch)
        return check
    }
}
