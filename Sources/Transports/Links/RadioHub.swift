package import Bytes
package import Radio

/// The virtual radio of this process; converts between its time and that of the links.
package final class RadioHub {
    private var radio: Radio
    /// Time at which both clocks were equal.
    private let start: Timestamp
    /// Speed of the radio's time, relative to that of the links.
    private let speed: Double
    /// Packets not yet received by their host, by controller.
    private var waiting: [[[UInt8]]] = []

    /// Maximum number of packets queued for a host; beyond that, the oldest are dropped.
    private static let limit = 65_536

    package init(_ radio: Radio, start: Timestamp, speed: Double = 1) {
        self.radio = radio
        self.start = start
        self.speed = speed
    }

    /// Adds a controller to the radio and returns it as a link for a host.
    package func open(_ configuration: ControllerConfiguration) -> any Transport {
        waiting.append([])
        return RadioTransport(self, controller: radio.add(configuration))
    }

    /// Converts a time of the links to the radio's time.
    private func virtual(_ now: Timestamp) -> Timestamp {
        let elapsed = Int64(Double(now.nanoseconds - start.nanoseconds) * speed)
        return max(radio.now, Timestamp(nanoseconds: start.nanoseconds + elapsed))
    }

    /// Time of the next packet for a controller's host or of the next radio event, in the time of the links.
    func nextEvent(of controller: Int) -> Timestamp? {
        if !waiting[controller].isEmpty { return Timestamp(nanoseconds: .min) }
        return radio.nextEvent.map { next in
            Timestamp(
                nanoseconds: start.nanoseconds
                    + Int64((Double(next.nanoseconds - start.nanoseconds) / speed).rounded(.up)))
        }
    }

    func send(_ packet: [UInt8], to controller: Int, at now: Timestamp) {
        collect(radio.advance(to: virtual(now)))
        collect(radio.send(packet, to: controller))
    }

    func receive(_ controller: Int, at now: Timestamp) -> [[UInt8]] {
        collect(radio.advance(to: virtual(now)))
        let packets = waiting[controller]
        waiting[controller] = []
        return packets
    }

    func detach(_ controller: Int) {
        radio.detachHost(of: controller)
        waiting[controller] = []
    }

    private func collect(_ outputs: [Radio.Output]) {
        for output in outputs where waiting.indices.contains(output.controller) {
            waiting[output.controller].append(output.packet)
            if waiting[output.controller].count > Self.limit { waiting[output.controller].removeFirst() }
        }
    }
}

/// A link to a controller of the virtual radio.
final class RadioTransport: Transport {
    let name = "radio:"
    private let hub: RadioHub
    private let controller: Int
    private var isNew = true
    private var isClosed = false

    init(_ hub: RadioHub, controller: Int) {
        self.hub = hub
        self.controller = controller
    }

    var interests: [Interest] { [] }

    var nextEvent: Timestamp? {
        if isClosed { return nil }
        return isNew ? Timestamp(nanoseconds: .min) : hub.nextEvent(of: controller)
    }

    func advance(_ ready: [Readiness], to now: Timestamp) -> [TransportEvent] {
        if isClosed { return [] }
        let first: [TransportEvent] = isNew ? [.connected] : []
        isNew = false
        return first + hub.receive(controller, at: now).map { .packet($0, comment: nil) }
    }

    func send(_ packet: [UInt8], at now: Timestamp) -> [TransportEvent] {
        if !isClosed { hub.send(packet, to: controller, at: now) }
        return []
    }

    func close() {
        if !isClosed { hub.detach(controller) }
        isClosed = true
    }
}
