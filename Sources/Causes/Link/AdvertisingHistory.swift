import Bluetooth
import Bytes
import Captures
import Conversation
import PluginKit
import Profile

/// What a capture shows of an advertiser.
struct AdvertiserHistory {
    /// The first and the last connectable advertisement to any device; nil before the first one.
    private(set) var first: FrameReference?
    private(set) var last: FrameReference?
    private(set) var count = 0
    /// The last advertisement that a sniffer captured.
    private(set) var lastOnAir: FrameReference?
    /// The first advertisement after the last pause.
    private(set) var resumed: FrameReference?
    /// The last advertisement to one device, and that device.
    private(set) var directed: (frame: FrameReference, target: DeviceAddress)?
    /// The last advertisement that accepts no connection.
    private(set) var nonconnectable: FrameReference?

    /// Longer pauses mean that the advertiser was stopped, as a connection does, or that nobody listened.
    private static let pause = 0.2

    mutating func record(_ kind: Advertisement.Kind, at frame: FrameReference, isFromAir: Bool) {
        let latest = [last, directed?.frame, nonconnectable].compactMap { $0 }.max()
        if latest.map({ frame.seconds(since: $0) > Self.pause }) ?? true { resumed = frame }
        switch kind {
        case .connectable, .directed, .extended(isConnectable: true, _, _):
            if first == nil { first = frame }
            last = frame
            count += 1
        case .scannable, .nonconnectable, .extended: nonconnectable = frame
        case .scanResponse, .periodic, .own: return
        }
        if isFromAir { lastOnAir = frame }
    }

    mutating func record(to target: DeviceAddress, at frame: FrameReference, isFromAir: Bool) {
        directed = (frame, target)
        if isFromAir { lastOnAir = frame }
    }
}

/// Advertising, scanning and attempts to connect, for the causes of connections that did not come about.
package final class AdvertisingHistory {
    private var advertisers: [DeviceAddress: AdvertiserHistory] = [:]
    private var adapters: [UInt16: AdapterHistory] = [:]
    /// Failures outside connections that are still to be added.
    private var outside: [Failure] = []
    private(set) var attempts = ConnectionAttempts()
    private(set) var commands = CommandHistory()
    private var sets = AdvertisingSets()
    let buffers = BufferHistory()
    let air = AirActivity()
    /// Whether something outside connections is missing.
    private(set) var followsLoss = false
    /// The last advertisement of any device that a sniffer captured.
    private(set) var lastOnAir: FrameReference?

    private static let advertiserLimit = 2048
    private static let adapterLimit = 64
    private static let connectableLimit = 64

    func handle(_ event: Event, on session: Session) {
        switch event.content {
        case .gap: if session.connection.number == 0 { followsLoss = true }
        case .advertised(let advertisement): record(advertisement, event)
        case .event(.leMeta, .extendedAdvertisingReport): recordExtendedTargets(event)
        case .event(.leMeta, .directedAdvertisingReport): recordTarget(event)
        default: break
        }
        if let adapter = event.frame.metadata.hci?.adapter,
            adapters[adapter] != nil || adapters.count < Self.adapterLimit
        {
            adapters[adapter, default: AdapterHistory()].handle(event)
        }
        buffers.handle(event, on: session)
        commands.handle(event, on: session)
        attempts.handle(event, on: session)
        sets.handle(event, on: session)
        if !outside.isEmpty, session.connection.number == 0 { addOutside(to: session) }
    }

    /// Settles what is still open at the end of the capture.
    func finish(_ session: Session) {
        attempts.finish(session)
        sets.finish(session)
        commands.finish(session)
        addOutside(to: session)
    }

    /// Adds a failure outside connections, whichever session's event shows it.
    func addOutside(_ failure: Failure) { outside.append(failure) }

    private func addOutside(to session: Session) {
        for failure in outside { session.add(failure) }
        outside.removeAll()
    }

    // MARK: - Advertisers

    func history(of device: DeviceAddress) -> AdvertiserHistory? { advertisers[device] }

    /// The latest advertisers that accepted connections before a frame, the latest last.
    func connectable(before end: FrameReference) -> [(device: DeviceAddress, frame: FrameReference)] {
        let heard = advertisers.compactMap { address, history -> (device: DeviceAddress, frame: FrameReference)? in
            guard let last = history.last, last < end else { return nil }
            return (address, last)
        }
        return heard.sorted { $0.frame < $1.frame }.suffix(Self.connectableLimit)
    }

    /// Whether a device accepted connections after a frame.
    func heard(_ device: DeviceAddress, after frame: FrameReference) -> Bool {
        advertisers[device]?.last.map { $0 > frame } ?? false
    }

    private func record(_ advertisement: Advertisement, _ event: Event) {
        if advertisement.isFromAir { lastOnAir = event.moment }
        let metadata = event.frame.metadata
        let batch = event.frame.view.batch
        let identity = batch.devices[TrafficReader.resolved(metadata.sender, batch)]?.address
        let target =
            advertisement.kind == .directed && advertisement.isFromAir
            ? batch.devices[metadata.receiver]?.address : nil
        for address in Set([advertisement.address, identity].compactMap { $0 }) {
            change(address) { history in
                if let target {
                    history.record(to: target, at: event.moment, isFromAir: true)
                } else {
                    history.record(advertisement.kind, at: event.moment, isFromAir: advertisement.isFromAir)
                }
            }
        }
    }

    /// Records the targets of directed advertisements in LE Extended Advertising Report.
    private func recordExtendedTargets(_ event: Event) {
        // Most events have one report, which is not directed: its event type follows the number of reports.
        if event.bytes.u8(1) == 1, let type = event.bytes.u16(2), type & 0x04 == 0 { return }
        guard let reports = try? HCI.LEExtendedAdvertisingReport(decoding: Array(event.payload.dropFirst())) else {
            return
        }
        for report in reports.reports where report.eventType & 0x04 != 0 {
            guard let address = DeviceAddress(report.address, report.addressType),
                let target = DeviceAddress(report.direct, report.directType)
            else { continue }
            change(address) { $0.record(to: target, at: event.moment, isFromAir: false) }
        }
    }

    /// Records the target in LE Directed Advertising Report (Vol 4, Part E, 7.7.65.11), of the first report.
    private func recordTarget(_ event: Event) {
        guard let address = event.bytes.device(at: 3), let target = event.bytes.device(at: 10) else { return }
        change(address) { $0.record(to: target, at: event.moment, isFromAir: false) }
    }

    private func change(_ address: DeviceAddress, _ body: (inout AdvertiserHistory) -> Void) {
        guard advertisers[address] != nil || advertisers.count < Self.advertiserLimit else { return }
        body(&advertisers[address, default: AdvertiserHistory()])
    }

    // MARK: - Adapters

    /// For how long a controller had scanned, in seconds, up to a frame.
    func scanned(_ adapter: UInt16, until frame: FrameReference) -> Double {
        adapters[adapter]?.scanned(until: frame) ?? 0
    }

    func adapter(_ number: UInt16) -> AdapterHistory? { adapters[number] }

    /// The adapter of the capture that has an address; nil for a device whose host was not captured.
    func adapter(of device: DeviceAddress) -> (number: UInt16, history: AdapterHistory)? {
        adapters.filter { $0.value.has(device) }.min { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
