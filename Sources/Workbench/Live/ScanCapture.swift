import Bluetooth
package import Captures
package import Host
package import Transports

/// Scans for advertisers with a controller, and captures the traffic between it and our host.
package final class ScanCapture: LiveCapture {
    package var name: String { link.name }
    package let encapsulation: Encapsulation? = .h4
    package let canWait = true
    package let lost = 0

    private let link: any Transport
    private let settings: Host.ScanSettings
    private var host: Host
    private var loop = TransportLoop()
    private var number = 0
    private var batch = PacketBatch()
    /// Addresses of the advertisers seen.
    private var heard = Set<DeviceAddress>()

    /// Maximum number of advertisers counted.
    private static let countLimit = 100_000

    package init(_ link: any Transport, _ settings: Host.ScanSettings) {
        self.link = link
        self.settings = settings
        host = Host(Host.Configuration(), random: .system)
        loop.add(link)
    }

    package func run(_ sink: CaptureSink) throws {
        defer { loop.close() }
        var goesOn = true
        while goesOn {
            for (_, event) in loop.wait(until: host.deadline) {
                switch event {
                case .connected: try perform(host.handle(.request(.start), at: loop.now), sink)
                case .packet(let packet, let comment):
                    keep(packet, .received, comment)
                    try perform(host.handle(.packet(packet), at: loop.now), sink)
                case .note(let text), .disconnected(let text): sink.report("\(name): \(text)")
                case .closed(let text):
                    throw TransportError(name, text, advice: "check whether the controller is running")
                }
            }
            if let deadline = host.deadline, deadline <= loop.now {
                try perform(host.handle(.time, at: loop.now), sink)
            }
            goesOn = try hand(to: sink)
        }
        try perform(host.handle(.request(.stopScanning), at: loop.now), sink)
        _ = try hand(to: sink)
        let count = heard.count == 1 ? "1 device" : "\(heard.count) devices"
        sink.report("\(name): \(count) heard")
    }

    private func hand(to sink: CaptureSink) throws -> Bool {
        defer { batch = PacketBatch() }
        return try sink.take(batch)
    }

    private func keep(_ packet: [UInt8], _ direction: Direction, _ comment: String? = nil) {
        number += 1
        batch.append(h4: packet, direction: direction, number: number, time: loop.now, comment: comment)
    }

    private func perform(_ actions: [Host.Action], _ sink: CaptureSink) throws {
        for action in actions {
            switch action {
            case .send(let packet):
                keep(packet, .sent)
                for case .note(let text) in link.send(packet, at: loop.now) { sink.report("\(name): \(text)") }
            case .event(.ready): try perform(host.handle(.request(.scan(settings)), at: loop.now), sink)
            case .event(.advertisement(let advertisement)):
                if heard.count < Self.countLimit { heard.insert(advertisement.address) }
            case .event(.failed(let failure)):
                throw TransportError(name, failure: failure)
            case .event(.scanningFailed(let code)):
                throw TransportError(
                    name, "the controller rejects scanning: \(code)", advice: "end other scans on it")
            case .event: break
            }
        }
    }
}
