import Bytes
import Captures
import Conversation
import Dissection
import Foundation
import PDUTestKit
import TestKit
import Testing
import Workbench

/// A field's unit belongs to the number in columns and filters: number and unit together equal the displayed value.
@Suite(.disabled(if: Repository.isRewritten, "the cases are being rewritten"))
struct UnitTests {
    /// Every field with a unit, in every frame of every case.
    @Test func numbersAndTheirUnitsAreWhatPeopleRead() throws {
        var walk = UnitWalk()
        for example in CaptureCase.all { try walk.walk(example.path, example.library(.decoding).plugins) }
        for fault in walk.faults.prefix(20) { Issue.record("\(fault)") }
        #expect(walk.faults.isEmpty)
        #expect(walk.names.count >= 80)
        #expect(walk.scaled.isSuperset(of: ["gatt.latency", "bthci_evt.le_con_interval", "bthci_evt.le_supv_timeout"]))
    }

    @Test(.enabled(if: !SharedCaptures.all.isEmpty, "../shared/captures is not there"), arguments: SharedCaptures.all)
    func numbersOfASharedCaptureAreWhatPeopleRead(_ path: String) throws {
        var walk = UnitWalk()
        try walk.walk(path, PluginLibrary.builtIn().plugins)
        #expect(walk.faults.isEmpty, "\(walk.faults.prefix(5).joined(separator: "\n"))")
    }

    @Test func everyUnitIsThatOfItsNumber() throws {
        let catalog = FieldCatalog.all(plugins: try PluginLibrary.builtIn().plugins)
        for field in catalog.names.flatMap({ catalog[$0] }) {
            guard let unit = field.unit else { continue }
            #expect(field.numberUnit == unit || field.isScaled && !field.isMeasured, "\(field.name)")
            // Numbers of our own fields are always in the unit itself.
            if field.name.hasPrefix("gatt.") { #expect(field.numberUnit == unit, "\(field.name)") }
        }
        #expect(catalog["bthci_evt.le_con_interval"].first?.numberUnit == "1.25 ms")
        #expect(catalog["bthci_evt.le_supv_timeout"].first?.numberUnit == "10 ms")
        #expect(catalog["gatt.latency"].first?.numberUnit == "ms")
    }
}

/// Compares the numbers of columns with the displayed values, over the frames of captures.
private struct UnitWalk {
    var faults: [String] = []
    /// The fields with a unit seen so far, and those among them whose physical value differs from the raw one.
    var names: Set<String> = []
    var scaled: Set<String> = []

    mutating func walk(_ path: String, _ plugins: PluginSet) throws {
        let reader = try CaptureReader(path: path)
        let dissector = Dissector(plugins: plugins)
        let frame = DissectedFrame()
        var tracker = Tracker(plugins: plugins)
        var application = ApplicationTracker(plugins)
        while let packets = try reader.next() {
            var batch = tracker.track(packets)
            tracker.name(&batch)
            application.follow(&batch, tracker.devices)
            for metadata in batch.metadata {
                dissector.dissect(metadata, of: batch, into: frame)
                for recorded in frame.recorder.fields {
                    compare(recorded, metadata, batch, frame.recorder.texts, path)
                }
            }
        }
    }

    private mutating func compare(
        _ recorded: RecordedField, _ metadata: FrameMetadata, _ batch: TrackedBatch, _ texts: [String], _ path: String
    ) {
        let field = recorded.field
        guard let unit = field.unit, let numberUnit = field.numberUnit, !recorded.isSecret,
            field.names?[recorded.value] == nil, field.format != .text, field.format != .bytes
        else { return }
        names.insert(field.name)
        if field.isScaled { scaled.insert(field.name) }
        let column = Self.text { $0.writeValue(recorded, in: metadata, of: batch, texts: texts) }
        let shown = Self.text { $0.writeDisplay(recorded, in: metadata, of: batch, texts: texts) }
        let number = column.hasPrefix("0x") ? Double(UInt64(column.dropFirst(2), radix: 16) ?? 0) : Double(column)
        let step = numberUnit == unit ? 1 : Double(numberUnit.dropLast(unit.count + 1)) ?? .nan
        guard shown.hasSuffix(" " + unit), let number, let read = Double(shown.dropLast(unit.count + 1)) else {
            return faults.append("\(path), frame \(metadata.packet.number), \(field.name): \(column), \(shown)")
        }
        if abs(number * step - read) > 1e-6 * max(1, abs(read)) {
            faults.append(
                "\(path), frame \(metadata.packet.number), \(field.name): \(column) x \(numberUnit), \(shown)")
        }
    }

    private static func text(_ write: (inout TextWriter) -> Void) -> String {
        var text = TextWriter(capacity: 64)
        write(&text)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
