import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection
import Output
import Synchronization
import Workbench

/// The values of a series over time, as envelopes of single values or of a few neighbours.
struct PlotSeries: Sendable {
    /// A value, or several merged neighbours.
    struct Part: Sendable {
        /// Time of the first value, in seconds from the first packet.
        var time: Double
        var lowest: Double
        var highest: Double
        var last: Double
        /// Frame number of the highest value.
        var number: Int
        var count = 1

        mutating func add(_ other: Part) {
            if other.highest > highest { (highest, number) = (other.highest, other.number) }
            lowest = min(lowest, other.lowest)
            last = other.last
            count += other.count
        }
    }

    private(set) var parts: [Part] = []
    /// Number of values in each part.
    private var width = 1
    /// Histogram of the times between values: one bin per power of two of a microsecond.
    private var intervals = [Int](repeating: 0, count: 64)
    private var lastTime: Double?

    /// Maximum number of parts; with more values, each part holds more.
    private static let limit = 1 << 18

    mutating func append(_ part: Part) {
        if let lastTime, part.time > lastTime {
            let microseconds = UInt64((part.time - lastTime) * 1e6) | 1
            intervals[63 - microseconds.leadingZeroBitCount] += 1
        }
        lastTime = part.time
        if let last = parts.indices.last, parts[last].count < width { return parts[last].add(part) }
        if parts.count == Self.limit {
            parts = stride(from: 0, to: parts.count, by: 2).map { place in
                var joined = parts[place]
                joined.add(parts[place + 1])
                return joined
            }
            width *= 2
        }
        parts.append(part)
    }

    /// Shortest time between two values that counts as a gap: a multiple of the usual interval.
    var gap: Double {
        let all = intervals.reduce(0, +)
        var seen = 0
        for (power, count) in intervals.enumerated() {
            seen += count
            if seen * 10 >= all * 9 { return Double(UInt64(1) << UInt64(min(power + 3, 62))) / 1e6 }
        }
        return 0
    }

    /// The values in a time range, merged into this number of parts.
    func envelope(_ range: ClosedRange<Double>, points: Int) -> [Part] {
        let width = max((range.upperBound - range.lowerBound) / Double(points), 1e-9)
        var found: [Int: Part] = [:]
        for part in parts where range.contains(part.time) {
            let place = min(points - 1, Int((part.time - range.lowerBound) / width))
            if found[place] == nil { found[place] = part } else { found[place]?.add(part) }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// Identifies the values of a plot: `FIELD` or `throughput` for all devices, with `@DEVICE` for one device.
struct SeriesName: Hashable, Sendable {
    let id: String
    /// The field; nil for throughput.
    let field: String?
    private let device: SeriesDevice
    private let filter: DisplayFilter

    static let throughput = "throughput"

    static func == (one: Self, other: Self) -> Bool { one.id == other.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Nil if `id` names no series.
    init?(_ id: String, _ catalog: FieldCatalog) {
        let parts = id.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count), let device = SeriesDevice(parts.count == 2 ? parts[1] : nil) else {
            return nil
        }
        field = parts[0] == Self.throughput ? nil : parts[0]
        if let field {
            guard let found = catalog[field].first, !found.isGroup else { return nil }
        }
        guard let filter = try? DisplayFilter(field ?? "btl2cap", catalog: catalog) else { return nil }
        self.device = device
        self.filter = filter
        self.id = id
    }

    func read(
        _ index: CaptureIndex, _ catalog: FieldCatalog, _ goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws -> PlotSeries {
        var series = PlotSeries()
        let start = index.start
        var second: (place: Int64, bytes: Double, number: Int)?
        try await index.decode(SamplePrinter(field.map { catalog[$0] }, of: device), filter) { samples, frames in
            for sample in Sample.all(in: samples) {
                let time: TimeSpan = sample.time - start
                if field != nil {
                    series.append(.init(sample, since: start))
                    continue
                }
                let place = time.nanoseconds / 1_000_000_000
                if let known = second, known.place == place {
                    second?.bytes += sample.value
                } else {
                    if let second { series.append(Self.part(second)) }
                    second = (place, sample.value, sample.number)
                }
            }
            return goesOn(frames)
        }
        if let second { series.append(Self.part(second)) }
        return series
    }

    /// The byte count of one second.
    private static func part(_ second: (place: Int64, bytes: Double, number: Int)) -> PlotSeries.Part {
        .init(
            time: Double(second.place), lowest: second.bytes, highest: second.bytes, last: second.bytes,
            number: second.number)
    }
}

private enum SeriesDevice: Sendable {
    case all
    case address(Address)
    /// The device with this number, for devices without an address; -1 for the unknown device.
    case number(Int32)

    /// Parses the device of a series name; all devices if it is nil.
    init?(_ text: String?) {
        if let text {
            guard let device = Address(text).map(Self.address) ?? Int32(text).map(Self.number) else { return nil }
            self = device
        } else {
            self = .all
        }
    }

    var isAll: Bool { if case .all = self { true } else { false } }

    func contains(_ device: Int32, in batch: borrowing TrackedBatch) -> Bool {
        switch self {
        case .all: true
        case .address(let address): batch.devices[device]?.address?.address == address
        case .number(let number): device == number
        }
    }
}

/// A value of a packet, as written by printers.
struct Sample {
    var time: Timestamp
    var value: Double
    /// Frame number.
    var number: Int
    var series = 0

    private static let size = 32

    func write(to output: inout TextWriter) {
        for word in [UInt64(bitPattern: time.nanoseconds), value.bitPattern, UInt64(number), UInt64(series)] {
            for place in 0..<8 { output.write(UInt8(truncatingIfNeeded: word >> UInt64(8 * place))) }
        }
    }

    /// Decodes the printers' output.
    static func all(in text: RawSpan) -> [Sample] {
        stride(from: 0, to: text.byteCount, by: size).map { offset in
            func word(_ place: Int) -> UInt64 {
                (0..<8).reduce(0) { $0 | UInt64(text.byte(at: offset + 8 * place + $1)) << UInt64(8 * $1) }
            }
            return Sample(
                time: Timestamp(nanoseconds: Int64(bitPattern: word(0))), value: Double(bitPattern: word(1)),
                number: Int(word(2)),
                series: Int(word(3)))
        }
    }
}

extension PlotSeries.Part {
    /// A part with one value; `start` is the start of the capture.
    init(_ sample: Sample, since start: Timestamp) {
        self.init(
            time: (sample.time - start).seconds, lowest: sample.value, highest: sample.value, last: sample.value,
            number: sample.number)
    }
}

/// Prints the values of a field as samples; without a field, the sizes of L2CAP PDUs.
private struct SamplePrinter: FramePrinter {
    let scope: DissectionScope
    private let fields: FieldIndex?
    private let device: SeriesDevice

    init(_ fields: [Field]?, of device: SeriesDevice) {
        self.fields = fields.map { FieldIndex($0.map { ($0, 1) }) }
        self.device = device
        // Devices are recorded only if the peer is requested.
        let peer = device.isAll ? [] : [FrameFields.peer.name]
        scope = DissectionScope(fieldNames: (fields?.prefix(1).map(\.name) ?? []) + peer)
    }

    func makeWriter() -> any FrameWriter { SampleWriter(fields, of: device) }
}

private final class SampleWriter: FrameWriter {
    private let fields: FieldIndex?
    private let device: SeriesDevice

    init(_ fields: FieldIndex?, of device: SeriesDevice) {
        (self.fields, self.device) = (fields, device)
    }

    func write(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, of batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        guard let fields else {
            guard metadata.pdu.isPresent, device.contains(metadata.peerNumber(in: batch), in: batch) else { return }
            return write(Double(metadata.pdu.count), metadata, to: &output)
        }
        let devices = FieldDevices(frame, metadata, in: batch)
        let recorder = frame.recorder
        let recorded = recorder.span
        for place in recorded.indices
        where fields[recorded[place]] != nil && device.contains(devices[place], in: batch) {
            if let value = recorded[place].plottedValue { write(value, metadata, to: &output) }
        }
    }

    private func write(_ value: Double, _ metadata: FrameMetadata, to output: inout TextWriter) {
        Sample(time: metadata.packet.time, value: value, number: metadata.packet.number).write(to: &output)
    }
}
