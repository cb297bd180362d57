package import Bytes
package import Radio

/// The virtual radio of this process, its time bound to the time of the links.
package final class RadioHub {
    private var radio: Radio
    /// When both times were the same.
    private let start: Timestamp
    /// How many times faster the radio's time passes.
    private let speed: Double
    /// Packets that a host has not fetched yet, by controller.
    private var waiting: [[[UInt8]]] = []

    /// Most packets that wait for a host; who does not fetch them loses the oldest.
    private static let limit = 65_536

    package init(_ radio: Radio, start: Timestamp, speed: Double = 1) {
        self.radio = radio
        self.start = start
        self.speed = speed
    }

    /// Puts a controller on the air, as a link that a host can use.
    package func open(_ configuration: ControllerConfiguration) -> any Transport {
        waiting.append([])
        return RadioTransport(self, controller: radio.add(configuration))
    }

    /// The radio's time at a time of the links.
    private func virtual(_ now: Timestamp) -> Timestamp {
        let elapsed = Int64(Double(now.nanoseconds - start.nanoseconds) * speed)
        return max(radio.now, Timestamp(nanoseconds: start.nanoseconds + elapsed))
    }

    /// When a controller has something for its host, or something happens on the air, in the time of the links.
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

/// A controller of the virtual radio, as a link.
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
