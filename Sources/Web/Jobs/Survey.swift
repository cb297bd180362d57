import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection
import Output
import Synchronization

/// Overview of a capture: the numeric fields that can be plotted, and the packets with the last value of each
/// attribute, message and advertiser.
struct Survey: Sendable {
    struct SeriesKey: Hashable {
        var field: Field
        /// Number of the device; -1 if unknown.
        var device: Int32
    }

    struct SeriesTally {
        /// The message or layer that contains the field.
        var group: String
        var count = 0
        var lowest = Double.infinity
        var highest = -Double.infinity

        mutating func add(_ other: SeriesTally) {
            count += other.count
            lowest = min(lowest, other.lowest)
            highest = max(highest, other.highest)
        }
    }

    struct AttributeKey: Hashable {
        var device: Int32
        var handle: UInt16
    }

    /// A message decoded by a plugin.
    struct MessageKey: Hashable {
        var device: Int32
        var plugin: String
        var title: String
    }

    /// Number of occurrences, and the frame number of the last one; 0 for none.
    struct Last: Sendable {
        var count = 0
        var number = 0

        mutating func add(_ other: Last) {
            count += other.count
            number = max(number, other.number)
        }
    }

    var series: [SeriesKey: SeriesTally] = [:]
    var attributes: [AttributeKey: Last] = [:]
    var messages: [MessageKey: Last] = [:]
    var advertisements: [Int32: Last] = [:]

    /// Maximum number of entries of each kind.
    private static let limit = 20_000

    /// Group name of lower-layer fields.
    static let link = "Link"
    /// Lower-layer fields that can be plotted.
    static let general = [
        "gatt.latency", "bthci_evt.rssi", "bthci_evt.le_rssi", "nordic_ble.rssi", "btle_rf.signal_dbm",
        "ppi.btle.rssi_avg", "bthci_evt.le_con_interval", "btle.control.interval", "btle.link_layer_data.interval",
    ]

    static func make(
        _ index: CaptureIndex, _ catalog: FieldCatalog, _ goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws -> Survey {
        let printer = SurveyPrinter(catalog)
        try await index.decode(printer) { _, frames in goesOn(frames) }
        var survey = Survey()
        for other in printer.surveys { survey.add(other) }
        return survey
    }

    /// The values of several series, in one pass.
    static func values(
        of keys: [SeriesKey], _ index: CaptureIndex, _ catalog: FieldCatalog,
        _ goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws -> [PlotSeries] {
        var series = keys.map { _ in PlotSeries() }
        let start = index.start
        try await index.decode(SurveyPrinter(catalog, sampling: keys)) { text, frames in
            for sample in Sample.all(in: text) { series[sample.series].append(.init(sample, since: start)) }
            return goesOn(frames)
        }
        return series
    }

    private mutating func add(_ other: Survey) {
        for (key, tally) in other.series { series[key, default: SeriesTally(group: tally.group)].add(tally) }
        for (key, last) in other.attributes { attributes[key, default: Last()].add(last) }
        for (key, last) in other.messages { messages[key, default: Last()].add(last) }
        for (key, last) in other.advertisements { advertisements[key, default: Last()].add(last) }
    }

    mutating func note(_ recorded: RecordedField, of device: Int32, in group: @autoclosure () -> String) {
        guard let value = recorded.plottedValue else { return }
        let key = SeriesKey(field: recorded.field, device: device)
        if series[key] == nil {
            guard series.count < Self.limit else { return }
            series[key] = SeriesTally(group: group())
        }
        series[key]?.add(SeriesTally(group: "", count: 1, lowest: value, highest: value))
    }

    mutating func note(_ key: AttributeKey, valueIn number: Int?) {
        guard attributes[key] != nil || attributes.count < Self.limit else { return }
        attributes[key, default: Last()].add(Last(count: 1, number: number ?? 0))
    }

    mutating func note(_ key: MessageKey, in number: Int) {
        guard messages[key] != nil || messages.count < Self.limit else { return }
        messages[key, default: Last()].add(Last(count: 1, number: number))
    }

    mutating func noteAdvertisement(of device: Int32, in number: Int) {
        guard advertisements[device] != nil || advertisements.count < Self.limit else { return }
        advertisements[device, default: Last()].add(Last(count: 1, number: number))
    }
}

extension RecordedField {
    /// The plotted value; nil if the field is not numeric.
    var plottedValue: Double? {
        if isSecret { return nil }
        switch field.format {
        case .decimal, .signed, .boolean: return roundedValue
        case .hex: return field.isScaled || field.isMeasured ? roundedValue : nil
        case .number, .float:
            let number = Double(bitPattern: value)
            return number.isFinite ? number : nil
        case .group, .dotted, .timestamp, .time, .bytes, .text, .address, .uuid128, .bigEndianUUID128: return nil
        }
    }
}

/// Surveys all frames and prints samples of selected series. Each thread has its own survey.
private final class SurveyPrinter: FramePrinter {
    private let general: FieldIndex
    private let places: [Survey.SeriesKey: Int]
    private let writers = Mutex<[SurveyWriter]>([])

    let scope = DissectionScope.all

    init(_ catalog: FieldCatalog, sampling keys: [Survey.SeriesKey] = []) {
        general = FieldIndex(Survey.general.flatMap { catalog[$0] }.map { ($0, 1) })
        places = Dictionary(zip(keys, keys.indices)) { first, _ in first }
    }

    func makeWriter() -> any FrameWriter {
        let writer = SurveyWriter(general, places)
        writers.withLock { $0.append(writer) }
        return writer
    }

    /// The threads' surveys, after the threads have ended.
    var surveys: [Survey] { writers.withLock { $0.map(\.survey) } }
}

/// Used by one thread at a time.
private final class SurveyWriter: FrameWriter, @unchecked Sendable {
    private let general: FieldIndex
    /// The series to print samples of, with their indices.
    private let places: [Survey.SeriesKey: Int]
    private(set) var survey = Survey()

    init(_ general: FieldIndex, _ places: [Survey.SeriesKey: Int]) {
        self.general = general
        self.places = places
    }

    func write(
        _ frame: DissectedFrame, _ metadata: FrameMetadata, of batch: borrowing TrackedBatch,
        to output: inout TextWriter
    ) {
        let number = metadata.packet.number
        let devices = FieldDevices(frame, metadata, in: batch)
        let recorder = frame.recorder
        let fields = recorder.span
        var isAdvertising = metadata.kind.isAdvertising
        for place in fields.indices {
            if general[fields[place]] != nil {
                note(fields[place], of: devices[place], in: Survey.link, metadata, to: &output)
            }
            if fields[place].field == GAP.Fields.advertisingData { isAdvertising = true }
        }
        if isAdvertising {
            let reporters = batch.reassembly.reporters[number] ?? [metadata.sender]
            for device in reporters where device >= 0 { survey.noteAdvertisement(of: device, in: number) }
        }
        if let attribute = metadata.attribute, attribute.tableVersion.isKnown, attribute.handle.rawValue != 0,
            let device = batch.tableVersions[attribute.tableVersion]?.device
        {
            let hasValue = frame.attribute?.value != nil && batch.value(of: metadata) != nil
            survey.note(.init(device: device, handle: attribute.handle.rawValue), valueIn: hasValue ? number : nil)
        }
        for message in [frame.message] + frame.values.map(\.message) {
            if let message { note(message, of: devices[message.fields.lowerBound], metadata, frame, to: &output) }
        }
    }

    private func note(
        _ message: DissectedFrame.DeviceMessage, of device: Int32, _ metadata: FrameMetadata, _ frame: DissectedFrame,
        to output: inout TextWriter
    ) {
        survey.note(.init(device: device, plugin: message.plugin, title: message.title), in: metadata.packet.number)
        let recorder = frame.recorder
        let fields = recorder.span
        for place in message.fields { note(fields[place], of: device, in: message.title, metadata, to: &output) }
    }

    private func note(
        _ recorded: RecordedField, of device: Int32, in group: @autoclosure () -> String, _ metadata: FrameMetadata,
        to output: inout TextWriter
    ) {
        survey.note(recorded, of: device, in: group())
        guard !places.isEmpty, let place = places[.init(field: recorded.field, device: device)],
            let value = recorded.plottedValue
        else { return }
        Sample(time: metadata.packet.time, value: value, number: metadata.packet.number, series: place)
            .write(to: &output)
    }
}
