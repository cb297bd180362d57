import Bytes
package import Captures

/// Captures the monitor protocol that firmware writes to a serial port, an RTT channel or another link; never sends.
package final class FirmwareCapture: LiveCapture {
    package let name: String
    package let encapsulation: Encapsulation? = .monitor
    package let canWait = true
    package let lost = 0

    private let link: any Transport
    private var framer = MonitorFramer()
    private var clock: MonitorClock
    private var number = 0
    /// Packets that the firmware dropped.
    private var drops = 0
    /// Bytes outside frames.
    private var skippedBytes = 0
    private var reports = 0
    private var hasHint = false

    /// Maximum number of reports of bytes outside frames; further ones are only counted.
    private static let reportLimit = 20

    /// - Parameters:
    ///   - link: a link of bytes.
    ///   - rate: rate of the firmware's clock in Hz; nil if unknown.
    package init(_ link: any Transport, name: String, rate: UInt32? = nil) {
        self.link = link
        self.name = name
        clock = MonitorClock(rate: rate)
    }

    package func run(_ sink: CaptureSink) throws {
        defer {
            link.close()
            reportTotals(sink.report)
        }
        var loop = TransportLoop()
        loop.add(link)
        var hasEnded = false
        while !hasEnded {
            var batch = PacketBatch()
            for (_, event) in loop.wait(until: nil) {
                switch event {
                case .packet(let bytes, _): append(framer.take(bytes), to: &batch, at: loop.now, sink.report)
                case .connected: sink.report("\(name): connected")
                case .note(let text): sink.report("\(name): \(text)")
                case .disconnected(let text), .closed(let text):
                    append(framer.finish(), to: &batch, at: loop.now, sink.report)
                    sink.report("\(name): \(text)")
                    if case .closed = event { hasEnded = true }
                }
            }
            guard try sink.take(batch) else { return }
        }
    }

    private func append(
        _ elements: [MonitorFramer.Element], to batch: inout PacketBatch, at now: Timestamp,
        _ report: (String) -> Void
    ) {
        for element in elements {
            switch element {
            case .frame(let frame, let overlaps):
                number += 1
                drops += frame.drops
                batch.append(
                    frame, number: number, time: frame.ticks.map { clock.time(of: $0, at: now) } ?? now,
                    comment: overlaps ? "the frame before it is damaged: bytes of it were lost" : nil)
            case .garbage(let garbage): handle(garbage, report)
            }
        }
        if clock.isOfSlowClock, !hasHint {
            hasHint = true
            report("\(name): its timestamps run 9.2 % fast, as those of a clock of 32768 Hz: add “,clock=32768”")
        }
    }

    private func handle(_ garbage: MonitorFramer.Garbage, _ report: (String) -> Void) {
        skippedBytes += garbage.count
        reports += 1
        guard reports <= Self.reportLimit else { return }
        if number == 0, garbage.count >= MonitorFramer.garbageLimit {
            report(
                "\(name): no frame of the monitor protocol in \(skippedBytes) bytes; check the speed, and that the firmware has CONFIG_BT_DEBUG_MONITOR_UART or its like"
            )
        } else {
            report("\(name): \(garbage.count) bytes outside frames: \(Self.text(of: garbage))")
        }
        if reports == Self.reportLimit { report("\(name): further bytes outside frames are only counted") }
    }

    /// Garbage as text if it is mostly that, as what a boot loader prints; else in hexadecimal.
    private static func text(of garbage: MonitorFramer.Garbage) -> String {
        let printable = garbage.start.count { (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x0D }
        let more = garbage.count > garbage.start.count ? " …" : ""
        guard printable * 4 >= garbage.start.count * 3 else {
            let shown = garbage.start.prefix(16).map { byte in
                String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
            }
            return shown.joined(separator: " ") + (garbage.count > shown.count ? " …" : "")
        }
        let lines = String(decoding: garbage.start, as: UTF8.self).split(whereSeparator: \.isNewline)
        return "“\(lines.joined(separator: " ").legible())”\(more)"
    }

    private func reportTotals(_ report: (String) -> Void) {
        if drops > 0 { report("\(name): the firmware dropped \(drops) packets before they reached the link") }
        if skippedBytes > 0 { report("\(name): \(skippedBytes) bytes outside frames in all") }
    }
}
