import Bluetooth
import Bytes
import Captures
package import Conversation
import PluginKit

extension Dissector {
    /// The layers for which advertising data are read.
    var advertisingScope: DissectionScope {
        plugins.readsAdvertising ? [.advertisingData, .application] : .advertisingData
    }

    /// Passes the frame's service data and manufacturer data to the plugins responsible for them. `bytes` are the
    /// frame's bytes.
    func dissectAdvertised(
        _ bytes: Span<UInt8>, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        guard plugins.readsAdvertising, scope.contains(.application) else { return }
        let reporters = batch.reassembly.reporters[metadata.packet.number]
        let parts = batch.reassembly.advertisingParts[metadata.packet.number]
        for place in advertisingData(frame.recorder) {
            // The last part carries the complete data.
            if place.buffer == .frame, parts?[place.range.lowerBound]?.status == .moreToCome { continue }
            let advertiser =
                reporters.map { $0.indices.contains(place.report) ? $0[place.report] : -1 } ?? metadata.sender
            let source = place.buffer == .frame ? bytes : batch.reassembly.bytes.span.extracting(metadata.sdu.range)
            let data = source.extracting(place.range)
            withRecorded(place.buffer, frame) {
                dissectAdvertised(data, at: place.range.lowerBound, advertiser, batch, frame)
            }
        }
        if frame.values.count == 1, reporters == nil {
            frame.values.removeAll()
        } else {
            frame.message = nil
        }
    }

    /// Dissects the data of one advertiser, at an offset in their buffer.
    private func dissectAdvertised(
        _ data: Span<UInt8>, at offset: Int, _ advertiser: Int32, _ batch: borrowing TrackedBatch,
        _ frame: DissectedFrame
    ) {
        var cursor = GAP.StructureCursor(data.rawBytes)
        while let (owner, range) = cursor.nextOwned() {
            let reader = ByteReader(
                data.extracting(range), origin: offset + range.lowerBound, recorder: frame.recorder)
            guard
                let form = plugins.advertisedForm(
                    of: owner, reader.rest, plugin: batch.advertisers[advertiser]?.plugin ?? -1)
            else { continue }
            let count = frame.diagnoses.count
            dissect(reader, form.layout, form.plugin, [], frame)
            // A format shared by many manufacturers may have been extended since publication: a mismatch is a note, not
            // an error.
            if plugins.plugins[form.plugin].isGeneral {
                for index in count..<frame.diagnoses.count { frame.diagnoses[index].severity = .note }
            }
            frame.values.append(DissectedFrame.CarriedValue(message: frame.message, advertiser: advertiser))
        }
    }

    /// Ranges of the advertising data in a frame, each with the index of its report in the event, from 0.
    private func advertisingData(
        _ recorder: FieldRecorder
    ) -> [(range: Range<Int>, buffer: RecordedField.Buffer, report: Int)] {
        var places: [(range: Range<Int>, buffer: RecordedField.Buffer, report: Int)] = []
        var report = -1
        let fields = recorder.span
        for index in fields.indices {
            let recorded = fields[index]
            if recorded.field == HCI.Fields.report { report += 1 }
            guard recorded.field == GAP.Fields.advertisingData else { continue }
            let start = Int(recorded.offset)
            places.append((start..<(start + Int(recorded.length)), recorded.buffer, report))
        }
        return places
    }
}

/// Fragments of advertising data in a frame, the data reassembled with the last fragments, and what was encrypted in
/// complete data.
struct AdvertisingParts: Sendable {
    private let parts: [Int: AdvertisingPart]
    private let opened: [Int: FrameMetadata.BufferRange]
    private let reassembly: [UInt8]
    /// Start of the frame's reassembled data.
    private let start: Int

    /// Nil for a frame with complete data in which nothing was decrypted.
    init?(of metadata: FrameMetadata, in batch: borrowing TrackedBatch) {
        parts = batch.reassembly.advertisingParts[metadata.packet.number] ?? [:]
        opened = batch.reassembly.openedAdvertising[metadata.packet.number] ?? [:]
        if parts.isEmpty, opened.isEmpty { return nil }
        reassembly = batch.reassembly.bytes
        start = metadata.sdu.start
    }

    /// Reads advertising data or a fragment, and what was encrypted in it. A continuation is read as bytes; the last
    /// fragment yields the complete data. A structure that ends in a later fragment is no fault.
    func read(_ data: inout ByteReader) -> [DecodeError] {
        let offset = data.offset
        let faults = readCaptured(&data)
        guard let opened = opened[offset] else { return faults }
        return faults + readKept(opened, data.recorder)
    }

    private func readCaptured(_ data: inout ByteReader) -> [DecodeError] {
        guard let part = parts[data.offset] else { return GAP.readAdvertisingData(&data) }
        guard part.isContinuation else { return GAP.readAdvertisingData(&data).filter { !$0.isCutStructure } }
        if !data.isAtEnd { data.skipRest(part.holdsKey ? GAP.Fields.secretContinuation : GAP.Fields.continuation) }
        guard part.whole.isPresent else { return [] }
        return readKept(part.whole, data.recorder).filter { part.status == .complete || !$0.isCutStructure }
    }

    /// Reads advertising data among the reassembled bytes.
    private func readKept(_ range: FrameMetadata.BufferRange, _ recorder: FieldRecorder?) -> [DecodeError] {
        let buffer = recorder?.buffer ?? .frame
        recorder?.buffer = .sdu
        defer { recorder?.buffer = buffer }
        var reader = ByteReader(
            reassembly.span.extracting(range.range), origin: range.start - start, recorder: recorder)
        return GAP.readAdvertisingData(&reader)
    }
}

/// The device that each field describes: the peer or, in an event with several advertising reports, the advertiser of
/// the report that holds the field.
package struct FieldDevices {
    private let peer: Int32
    private var reports: [(fields: Range<Int>, device: Int32)] = []

    package init(_ frame: DissectedFrame, _ metadata: FrameMetadata, in batch: borrowing TrackedBatch) {
        peer = metadata.peerNumber(in: batch)
        guard let reporters = batch.reassembly.reporters[metadata.packet.number] else { return }
        let recorder = frame.recorder
        let fields = recorder.span
        for place in fields.indices where fields[place].field == HCI.Fields.report {
            let device = reporters.indices.contains(reports.count) ? reporters[reports.count] : -1
            reports.append((place..<fields.endOfTree(place, before: fields.count), device))
        }
        // Fields that plugins decode from the reports follow them.
        for value in frame.values {
            if let message = value.message { reports.append((message.fields, value.advertiser)) }
        }
    }

    /// The device of the field at an index in the recorder; -1 if unknown.
    package subscript(place: Int) -> Int32 { reports.first { $0.fields.contains(place) }?.device ?? peer }
}
