import Bluetooth
import Bytes
package import Captures
import Conversation
package import Dissection
import PluginKit

/// The statistics of a capture as text: quality first, then counters from the outer layers inward.
package struct StatisticsReport {
    let outcome: StatisticsOutcome
    let file: String
    let format: String
    /// Interfaces of the capture's files.
    private let interfaces: [CaptureInterface]
    private let paint: Paint
    private var names = AttributeNames()
    private lazy var matchedPlugins = outcome.matchedPlugins

    /// Maximum number of rows per list; omitted rows are counted.
    private static let rows = 20

    package init(_ outcome: StatisticsOutcome, of reader: CaptureReader, paint: Paint = .none) {
        self.init(
            outcome, file: reader.file, format: reader.format.name, interfaces: reader.interfaces, paint: paint)
    }

    /// - Parameters:
    ///   - file: the capture's name.
    ///   - format: the name of its format; of several, all of them.
    ///   - interfaces: those of its files; of a merged capture, they state the clocks of its inputs.
    package init(
        _ outcome: StatisticsOutcome, file: String, format: String, interfaces: [CaptureInterface] = [],
        paint: Paint = .none
    ) {
        self.outcome = outcome
        self.interfaces = interfaces
        self.paint = paint
        self.file = file
        self.format = format
    }

    package mutating func text() -> String {
        var output = TextWriter(capacity: 16 * 1024)
        writeCapture(to: &output)
        writeQuality(to: &output)
        writeMerged(to: &output)
        writeTraffic(to: &output)
        writeDecryption(to: &output)
        writeDevices(to: &output)
        writeConnections(to: &output)
        writeStreams(to: &output)
        writeAttributes(to: &output)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    private func heading(_ title: String, to output: inout TextWriter) {
        output.write("\n")
        output.write(paint.name)
        output.write(title)
        output.write(paint.plain)
        output.write("\n")
    }

    /// Writes a row of a list: a label and a text.
    private func row(_ label: String, _ text: String, width: Int = 26, to output: inout TextWriter) {
        let start = output.count
        output.write("  ")
        output.write(label)
        output.pad(from: start, to: width)
        output.write(" ")
        output.write(text)
        output.write("\n")
    }

    private func more(_ count: Int, _ what: String, to output: inout TextWriter) {
        if count > Self.rows { output.write("  … and \(count - Self.rows) more \(what)\n") }
    }
}

// MARK: - The capture

extension StatisticsReport {
    private func writeCapture(to output: inout TextWriter) {
        let statistics = outcome.statistics
        output.write(paint.name)
        output.write(file)
        output.write(paint.plain)
        output.write("  \(format), \(statistics.frames.counted("frame")), \(statistics.bytes.counted("byte"))")
        if let first = statistics.first {
            output.write("\n  from ")
            output.writeISO8601(first)
            output.write(" for ")
            output.write(TimeText.span(statistics.last - first, isRounded: true))
        }
        output.write("\n")
    }

    private func writeQuality(to output: inout TextWriter) {
        heading("Quality of the capture", to: &output)
        let findings = findings.filter { $0.count > 0 }
        if findings.isEmpty { output.write("  no problems\n") }
        for finding in findings { output.write("  \(finding.count) \(finding.text)\n") }
    }

    /// Possible defects of a capture: an identifier for programs and a text for people.
    var findings: [(name: String, count: Int, text: String)] {
        let quality = outcome.statistics.quality
        let late = outcome.tracker.connections.count { !$0.isBeginningKnown }
        return [
            ("cut", quality.cut, "truncated frames"),
            ("drops", quality.drops, "places where the recorder dropped packets"),
            ("bad_crc", quality.badCRC, "frames with a bad CRC"),
            ("broken_pdus", quality.brokenPDUs, "malformed L2CAP PDUs: fragments missing or too long"),
            ("unasked_responses", quality.unanswerable, "ATT responses without a request"),
            ("late_connections", late, "connections whose start is missing"),
            ("encrypted", quality.encrypted, "encrypted frames"),
            ("retransmissions", quality.retransmissions, "retransmissions"),
            ("clock_jumps", quality.clockJumps, "timestamps that go backwards"),
            ("unknown_kinds", quality.unknownKinds, "frames that are not HCI or link layer packets"),
        ]
    }

    /// The inputs of a merged capture, with their clocks.
    var mergedInputs: [(name: String, clock: MergedClock)] {
        interfaces.compactMap { interface in
            interface.description.flatMap { MergedClock(description: $0) }.map { (interface.name ?? "", $0) }
        }
    }

    /// Writes what of a merged capture is in several of its inputs.
    private func writeMerged(to output: inout TextWriter) {
        let merged = outcome.statistics.merged
        let inputs = mergedInputs
        if merged.isEmpty, inputs.isEmpty { return }
        heading("Merged", to: &output)
        let sent = merged.common + merged.sentOnly
        let share = sent == 0 ? "" : " (\((100 * Double(merged.common) / Double(sent)).text(fixed: 1)) %)"
        row(
            "PDUs of connections",
            "\(sent) sent, \(merged.common) of them heard\(share), \(merged.heardOnly) heard only, "
                + "\(merged.sentOnly) sent only", to: &output)
        for input in inputs.prefix(Self.rows) { row(input.name.legible(), input.clock.description, to: &output) }
        more(inputs.count, "inputs", to: &output)
    }

    private func writeDecryption(to output: inout TextWriter) {
        let rows = decryptionRows
        if rows.isEmpty { return }
        heading("Encryption", to: &output)
        for (name, text) in rows { row(name, text, to: &output) }
    }

    private func writeTraffic(to output: inout TextWriter) {
        heading("Traffic", to: &output)
        let statistics = outcome.statistics
        for counter in frameCounters + pduCounters { row(counter.name, "\(counter.count)", width: 40, to: &output) }
        if statistics.responses > 0 {
            row(
                "ATT response time",
                "\(TimeText.milliseconds(statistics.latencyMean)) on average, \(TimeText.milliseconds(statistics.latencyMaximum)) at most",
                width: 40, to: &output)
        }
    }
}

// MARK: - Counters

extension StatisticsReport {
    /// Nonzero frame counts, by kind.
    var frameCounters: [(name: String, count: Int)] {
        let kinds: [(FrameMetadata.Kind, String)] = [
            (.command, "HCI commands"), (.event, "HCI events"), (.acl, "ACL data"), (.sco, "SCO data"),
            (.iso, "ISO data"), (.advertising, "advertising PDUs"), (.auxiliary, "auxiliary advertising PDUs"),
            (.periodic, "periodic advertising PDUs"), (.data, "data PDUs"), (.control, "control PDUs"),
            (.empty, "empty PDUs"), (.isochronous, "isochronous PDUs"), (.damaged, "damaged packets"),
            (.unassigned, "packets of unknown access addresses"), (.other, "other records"),
        ]
        return kinds.map { ($0.1, outcome.statistics.kinds[Int($0.0.rawValue)]) }.filter { $0.1 > 0 }
    }

    /// Nonzero PDU counts, by channel, and by opcode for ATT.
    var pduCounters: [(name: String, count: Int)] {
        let statistics = outcome.statistics
        let channels = statistics.channels
        let ofChannels = [
            ("L2CAP: ATT", channels.att), ("L2CAP: SMP", channels.smp), ("L2CAP: signaling", channels.signaling),
            ("L2CAP: dynamic channels", channels.dynamic), ("L2CAP: other channels", channels.other),
        ]
        let ofOpcodes = statistics.opcodes.indices.map { code in
            let name = ATT.Opcode(rawValue: UInt8(code)).name ?? "unknown opcode \(code)"
            return ("ATT: \(name)", statistics.opcodes[code])
        }
        return (ofChannels + ofOpcodes).filter { $0.1 > 0 }
    }
}

// MARK: - Devices and connections

extension StatisticsReport {
    private func writeDevices(to output: inout TextWriter) {
        let all = outcome.tracker.devices.devices
        let present = presentDevices
        guard !present.isEmpty else { return }
        heading("Devices: \(present.count)", to: &output)
        for number in present.first(Self.rows, by: { all[$0].comes(before: all[$1]) }) {
            let device = all[number]
            var metadata: [String] = []
            if let adapter = device.adapter { metadata.append("adapter hci\(adapter)") }
            if !device.name.isEmpty { metadata.append("\"\(device.name.legible())\"") }
            if device.connections > 0 {
                metadata.append(Int(device.connections).counted("connection"))
            }
            if device.advertisements > 0 { metadata.append("\(device.advertisements) advertisements") }
            if device.strongestRSSI != 127 { metadata.append("\(device.weakestRSSI)…\(device.strongestRSSI) dBm") }
            let match = outcome.match(Int32(number))
            if match != .none { metadata.append(words(match)) }
            row(Self.address(device), metadata.joined(separator: ", "), to: &output)
        }
        more(present.count, "devices", to: &output)
    }

    private var presentDevices: [Int] {
        let all = outcome.tracker.devices.devices
        return all.indices.filter { all[$0].advertisements + all[$0].connections > 0 }
    }

    /// Devices that took part, with their indices, most active first.
    var devices: [(number: Int32, device: Device)] {
        let all = outcome.tracker.devices.devices
        return presentDevices.sorted { all[$0].comes(before: all[$1]) }.map { (Int32($0), all[$0]) }
    }

    /// The plugin and dialect of a device, or the reason that none matches.
    private func words(_ match: PluginMatch) -> String {
        let ids = outcome.plugins.plugins.map(\.id)
        guard match.plugin >= 0 else {
            return "no plugin: " + match.rivals.map { ids[$0] }.joined(separator: " and ") + " match equally"
        }
        return "plugin \(ids[match.plugin])" + (match.dialect.map { " (\($0))" } ?? "")
    }

    private func writeConnections(to output: inout TextWriter) {
        let connections = outcome.tracker.connections
        guard !connections.isEmpty else { return }
        heading("Connections: \(connections.count)", to: &output)
        for (number, connection) in connections.prefix(Self.rows).enumerated() {
            var metadata: [String] = []
            for device in [connection.sender, connection.receiver] where device >= 0 {
                let device = outcome.tracker.devices[device]
                if device.adapter == nil || device.address != nil { metadata.append(device.title.legible()) }
            }
            let start: TimeSpan = connection.start - (outcome.statistics.first ?? .epoch)
            let length: TimeSpan = connection.end - connection.start
            metadata.append("at \(TimeText.span(start, isRounded: true)) for \(TimeText.span(length, isRounded: true))")
            metadata.append(connection.frames.counted("frame"))
            metadata.append("MTU \(connection.mtu)")
            if let timing = connection.parameters.timing { metadata.append("interval \(timing.intervalText)") }
            if connection.isEncrypted { metadata.append("encrypted") }
            if !connection.isBeginningKnown { metadata.append("start not captured") }
            if let reason = connection.reason { metadata.append(Self.reason(reason)) }
            row("\(number + 1)  \(Self.key(connection.key))", metadata.joined(separator: ", "), to: &output)
            writeChanges(of: connection, to: &output)
        }
        more(connections.count, "connections", to: &output)
    }

    /// Writes a connection's parameter changes, with times relative to the start of the capture. Initial parameters
    /// that never change are in the connection's row.
    private func writeChanges(of connection: ConnectionRecord, to output: inout TextWriter) {
        if connection.changes.allSatisfy({ $0.time == connection.start }) { return }
        for record in connection.changes.prefix(Self.rows) {
            let time: TimeSpan = record.time - (outcome.statistics.first ?? .epoch)
            row("", "at \(TimeText.span(time, isRounded: true))  \(record.change)", to: &output)
        }
        let hidden = connection.changes.count - Self.rows
        if hidden > 0 { row("", "… and \(hidden) more changes", to: &output) }
    }

    private func writeStreams(to output: inout TextWriter) {
        let streams = outcome.tracker.streams
        guard !streams.isEmpty else { return }
        heading("Streams: \(streams.count)", to: &output)
        for (number, stream) in streams.prefix(Self.rows).enumerated() {
            var metadata = [stream.name]
            if stream.connection >= 0 { metadata.append("of connection \(stream.connection + 1)") }
            for device in [stream.sender, stream.receiver] where device >= 0 {
                let device = outcome.tracker.devices[device]
                if device.adapter == nil || device.address != nil { metadata.append(device.title.legible()) }
            }
            let start: TimeSpan = stream.start - (outcome.statistics.first ?? .epoch)
            let length: TimeSpan = stream.end - stream.start
            metadata.append("at \(TimeText.span(start, isRounded: true)) for \(TimeText.span(length, isRounded: true))")
            if stream.interval > .zero { metadata.append("every \(TimeText.milliseconds(stream.interval))") }
            metadata.append(stream.packets.counted("packet"))
            if stream.missed > 0 { metadata.append(stream.missed.counted(stream.missedUnit) + " missed") }
            if stream.lost > 0 { metadata.append(stream.lost.counted("SDU") + " lost") }
            if stream.isEncrypted { metadata.append("encrypted") }
            row("\(number + 1)  \(Self.key(stream.key))", metadata.joined(separator: ", "), to: &output)
        }
        more(streams.count, "streams", to: &output)
    }

    private static func address(_ device: Device) -> String {
        guard let address = device.address else { return device.adapter.map { "hci\($0)" } ?? "(address not captured)" }
        return "\(address.address) \(address.kind)"
    }

    private static func key(_ key: ConnectionRecord.Key) -> String {
        switch key {
        case .handle(_, let handle): "handle 0x\(String(hex: handle.rawValue, digits: 4))"
        case .accessAddress(let address): "0x\(String(hex: address, digits: 8))"
        }
    }

    static func reason(_ code: UInt8) -> String {
        "ended: \(ControllerError(rawValue: code).name ?? "reason 0x\(String(hex: code, digits: 2))")"
    }
}

extension AirStream {
    fileprivate var missedUnit: String {
        if case .handle = key { return "SDU" }
        return "event"
    }
}

extension Sequence {
    /// The first `count` elements in sorted order; faster than sorting a long sequence.
    fileprivate func first(_ count: Int, by comesBefore: (Element, Element) -> Bool) -> [Element] {
        var first: [Element] = []
        for element in self {
            if first.count == count, !comesBefore(element, first[count - 1]) { continue }
            first.insert(element, at: first.firstIndex { comesBefore(element, $0) } ?? first.count)
            if first.count > count { first.removeLast() }
        }
        return first
    }
}

extension Device {
    /// Whether a list shows the device before another. Titles are compared last, because they are expensive and most
    /// comparisons do not need them.
    fileprivate func comes(before other: Device) -> Bool {
        if connections != other.connections { return connections > other.connections }
        if advertisements != other.advertisements { return advertisements > other.advertisements }
        return title > other.title
    }
}

// MARK: - Attributes

extension StatisticsReport {
    /// Writes each distinct attribute table once, with the operations on every characteristic.
    private mutating func writeAttributes(to output: inout TextWriter) {
        let totals = outcome.statistics.usage.totals
        guard !totals.isEmpty else { return }
        heading("Attributes", to: &output)
        let operations = ["reads", "writes", "commands", "notified", "indicated"]
        let rows = totals.map { (name: name($0.key), counts: $0.value) }.sorted { $0.name < $1.name }
        let shown = rows.prefix(3 * Self.rows)
        // Names are not truncated: they may differ in any part of a UUID.
        let width = max(62, 3 + (shown.map(\.name.utf8.count).max() ?? 0))
        var line = output.count
        output.write("  service / characteristic")
        output.pad(from: line, to: width)
        for name in operations {
            let start = output.count
            output.write(name)
            output.padLeft(from: start, to: 11)
        }
        output.write("\n")
        for (name, counts) in shown {
            line = output.count
            output.write("  ")
            output.write(name)
            output.pad(from: line, to: width)
            for count in counts {
                let start = output.count
                output.write(count == 0 ? "·" : "\(count)")
                output.padLeft(from: start, to: count == 0 ? 12 : 11)
            }
            output.write("\n")
        }
        if rows.count > 3 * Self.rows { output.write("  … and \(rows.count - 3 * Self.rows) more attributes\n") }
    }

    mutating func serviceName(_ type: UUID) -> String { pluginName(type) ?? names.service(type) }
    mutating func attributeName(_ type: UUID) -> String { pluginName(type) ?? names.attribute(type) }

    /// The name of a service or attribute in the plugins that match the capture's devices.
    private mutating func pluginName(_ type: UUID) -> String? {
        outcome.plugins.name(of: type) { matchedPlugins.contains($0) }
    }

    private mutating func name(_ key: AttributeUsage.Key) -> String {
        var parts: [String] = []
        if let service = key.service { parts.append(serviceName(service)) }
        if let characteristic = key.characteristic { parts.append(attributeName(characteristic)) }
        if let descriptor = key.descriptor {
            parts.append(descriptor == key.characteristic ? "descriptor" : attributeName(descriptor))
        }
        if let handle = key.handle { parts.append("handle 0x\(String(hex: handle.rawValue, digits: 4))") }
        return parts.joined(separator: " / ").legible()
    }
}
