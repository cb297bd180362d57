import Bluetooth
import Bytes
import Captures
import Causes
import Conversation
import PDUTestKit
import TestKit

/// A client and a server that are connected, as a host's log or a sniffer shows them.
final class AttributeScene {
    enum View: CaseIterable {
        case host, air
    }

    let view: View
    private let hci = HCISession()
    private let air = AirSession()
    private(set) var link: any ScriptedLink

    /// Battery Level at 0x0003 with its descriptor at 0x0004; a service of its own with a value to read and write at
    /// 0x0007, one to write at 0x0009, one that notifies and indicates at 0x000b with its descriptors at 0x000c and
    /// 0x000d.
    static let layout = ServerLayout(
        .service(0x180F, .characteristic(0x2A19, [.read, .notify], descriptors: 0x2902)),
        .service(
            0xFFF0, .characteristic(0xFFF1, [.read, .write]), .characteristic(0xFFF2, [.write, .writeWithoutResponse]),
            .characteristic(0xFFF3, [.notify, .indicate], descriptors: 0x2902, 0x2901)))

    /// Opens a connection; `isDiscovered` to discover the server's table.
    init(_ view: View, isDiscovered: Bool = true) {
        self.view = view
        link = view == .host ? hci.connect(to: Cast.puck) : air.connect(Cast.phone, to: Cast.puck)
        if isDiscovered { link.discover(Self.layout) }
    }

    var recording: Recording { link.recording }
    /// Number of the last frame.
    var frame: Int { recording.packets.count }

    func client(_ pdu: String) { link.carry(hex(pdu), on: .att, .sent) }
    func server(_ pdu: String) { link.carry(hex(pdu), on: .att, .received) }

    /// Ends the connection, and opens another one of the same devices.
    func reconnect() {
        disconnect()
        link =
            view == .host
            ? hci.connect(to: Cast.puck) : air.connect(Cast.phone, to: Cast.puck, accessAddress: 0x50C2_1A9B)
    }

    func wait(seconds: Int64) {
        if let link = link as? AirLink {
            link.idle(seconds: seconds)
        } else {
            recording.wait(milliseconds: 1000 * seconds)
        }
    }

    /// The recorder loses a part of what is neither a request nor a value.
    func lose() {
        if let link = link as? AirLink {
            link.fate = .damaged
            link.control(LL.PingReq(), .sent)
            link.control(LL.PingRsp(), .received)
        } else {
            link.carry(hex("01 01 0200 0000"), on: .leSignaling, .received)
            recording.cutLast(to: recording.packets[frame - 1].bytes.count - 1)
        }
    }

    /// Ends the connection: a host closes it, or it is lost.
    func disconnect(isLost: Bool = false) {
        if let link = link as? HCILink {
            link.disconnect(reason: isLost ? .connectionTimeout : .remoteUserTerminatedConnection)
        } else if let link = link as? AirLink, !isLost {
            link.disconnect()
        }
    }

    /// What failed in requests, subscriptions and values.
    func incidents(_ plugins: PluginSet = .none) -> [Incident] {
        let follower = ConversationTracker(plugins)
        let analysis = CauseAnalysis(plugins)
        var batch = TrackedBatch()
        batch.fill(recording.batch)
        follower.follow(&batch)
        analysis.add(batch)
        analysis.finish()
        let kinds: Set<Failure.Kind> = [.discoveryFailed, .subscriptionFailed, .procedureFailed, .valueTruncated]
        return analysis.takeIncidents().filter { kinds.contains($0.what) }
    }

    /// The causes, with their confidence: `value_rejected certain`.
    func causes(_ plugins: PluginSet = .none) -> [String] {
        incidents(plugins).map { "\($0.cause ?? "none") \($0.confidence?.rawValue ?? "")" }
    }
}
