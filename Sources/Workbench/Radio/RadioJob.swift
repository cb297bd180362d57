import Bluetooth
import Bytes
import Captures
package import Radio
package import Transports

/// Options of `gattbench radio`.
package struct RadioOptions: Sendable {
    /// Transports of the hosts, one controller each.
    package var hosts: [TransportSpec] = []
    /// Path of the capture of all controllers; nil for none.
    package var record: String?
    /// Recording of the air; nil for none.
    package var air: AirOptions?
    package var seed: UInt64 = 1
    /// Speed of the radio relative to real time.
    package var speed = 1.0
    package var pace = Radio.Pace.air
    /// Quality of the radio path between the controllers.
    package var path = Path()

    package init() {}
}

/// Recording of the air by `gattbench radio`.
package struct AirOptions: Sendable {
    /// Path of the capture, which ends with .pcap or .pcapng.
    package var path: String
    /// Probability that the sniffer misses a packet, 0 to 1.
    package var loss = 0.0
    /// Probability that the sniffer receives a packet with wrong bits, 0 to 1.
    package var damage = 0.0

    package init(path: String) {
        self.path = path
    }
}

/// Virtual controllers on one radio, offered to external hosts.
package struct RadioJob {
    private let options: RadioOptions
    private var radio: Radio
    private var loop = TransportLoop()
    private let recorder: CaptureWriter?
    private let airRecorder: CaptureWriter?
    /// The common start of the transports' time and the radio's time.
    private let start: Timestamp
    /// Transports that no host can connect to any more.
    private var closed = Set<Int>()

    /// Opens the transports.
    package init(_ options: RadioOptions) throws {
        self.options = options
        start = loop.now
        radio = Radio(seed: options.seed, pace: options.pace, start: start, path: options.path)
        recorder = try options.record.map { try RadioRecorder.writer($0) }
        if let record = options.record, let air = options.air, FileDescriptor.isSameFile(record, air.path) {
            throw CaptureError(
                .cannotWrite, file: air.path, "--record writes to this file", advice: "record the air to another file")
        }
        airRecorder = try options.air.map { try RadioRecorder.airWriter($0.path) }
        if let air = options.air { radio.recordAir(loss: air.loss, damage: air.damage) }
        let opener = TransportOpener(servesHosts: true)
        for (index, spec) in options.hosts.enumerated() {
            radio.add(ControllerConfiguration(address: Self.address(index)))
            do {
                loop.add(try opener.open(spec))
            } catch {
                loop.close()
                throw error
            }
        }
    }

    /// Names of the transports, in the order of the controllers; a server's name includes the bound port.
    package var names: [String] { loop.transports.map(\.name) }

    /// Public addresses of the controllers: 02:42:00:00:00:01 and up, which no manufacturer assigns.
    private static func address(_ index: Int) -> Address {
        Address(value: 0x0242_0000_0001 + UInt64(index))
    }

    /// Serves until `isInterrupted` returns true, or until no host can connect any more; `notify` receives the
    /// transports' messages.
    package mutating func run(isInterrupted: () -> Bool, notify: (String) -> Void) throws {
        defer { loop.close() }
        while !isInterrupted(), closed.count < options.hosts.count {
            try deliver(radio.advance(to: virtual(loop.now)), notify)
            try recorder?.flush()
            try record(radio.takeAir())
            for (link, event) in loop.wait(until: [radio.nextEvent, radio.nextAir].compactMap { $0 }.min().map(real)) {
                try take(event, link, notify)
            }
        }
        try recorder?.flush()
        try record(radio.finishAir())
    }

    /// Writes packets on the air to their capture.
    private func record(_ packets: [AirPacket]) throws(CaptureError) {
        guard let airRecorder, !packets.isEmpty else { return }
        for packet in packets { try airRecorder.write(linkLayer: packet.frame, time: packet.time) }
        try airRecorder.flush()
    }

    private mutating func take(_ event: TransportEvent, _ link: Int, _ notify: (String) -> Void) throws {
        let name = loop.transports[link].name
        switch event {
        case .connected: notify("\(name): a host has connected")
        case .packet(let packet, let comment):
            let time = virtual(loop.now)
            try deliver(radio.advance(to: time), notify)
            try recorder?.write(
                h4: packet, direction: .sent, adapter: UInt16(clamping: link), time: time, comment: comment)
            try deliver(radio.send(packet, to: link), notify)
        case .note(let text): notify("\(name): \(text)")
        case .disconnected(let text):
            notify("\(name): \(text)")
            radio.detachHost(of: link)
        case .closed(let text):
            notify("\(name): \(text)")
            radio.detachHost(of: link)
            closed.insert(link)
        }
    }

    /// Delivers packets from controllers to their hosts.
    private mutating func deliver(_ outputs: [Radio.Output], _ notify: (String) -> Void) throws {
        for output in outputs {
            try recorder?.write(
                h4: output.packet, direction: .received, adapter: UInt16(clamping: output.controller), time: output.time
            )
            let transport = loop.transports[output.controller]
            for event in transport.send(output.packet, at: loop.now) { try take(event, output.controller, notify) }
        }
    }

    /// Converts between the transports' time and the radio's time.
    private func virtual(_ time: Timestamp) -> Timestamp {
        max(
            radio.now,
            Timestamp(
                nanoseconds: start.nanoseconds + Int64(Double(time.nanoseconds - start.nanoseconds) * options.speed)))
    }

    private func real(_ time: Timestamp) -> Timestamp {
        let elapsed = (Double(time.nanoseconds - start.nanoseconds) / options.speed).rounded(.up)
        return Timestamp(nanoseconds: start.nanoseconds + Int64(min(elapsed, 1e18)))
    }
}

/// Recordings of a virtual radio.
enum RadioRecorder {
    /// One capture of all controllers: each packet contains the index of its controller.
    static func writer(_ path: String) throws(CaptureError) -> CaptureWriter {
        let format = try CaptureFormat(ofRecording: path)
        let target = CaptureTarget(format, linkType: .linuxMonitor) ?? CaptureTarget(format, holding: .h4)
        return try CaptureWriter(path: path, target: target)
    }

    /// A capture of the air, with the pseudo-header of link type 256.
    static func airWriter(_ path: String) throws(CaptureError) -> CaptureWriter {
        let format = CaptureFormat(forPath: path)
        guard let format, var target = CaptureTarget(format, linkType: .linkLayerWithHeader) else {
            throw CaptureError(
                .wrongTarget, file: path,
                format.map { "\($0.name) holds no packets of the air" } ?? "unknown file extension",
                advice: "use .pcap or .pcapng")
        }
        target.hasNanoseconds = true
        let writer = try CaptureWriter(path: path, target: target)
        // The file header, so that the file is a capture before the first packet.
        try writer.flush()
        return writer
    }
}
