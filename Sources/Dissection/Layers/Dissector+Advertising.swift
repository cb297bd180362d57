import Bytes
import Captures
import Conversation
import GAP
import HCI
import PluginKit

extension Dissector {
    /// The layers that advertising data is read for.
    var advertisingScope: DissectionScope {
        plugins.readsAdvertising ? [.advertisingData, .application] : .advertisingData
    }

    /// Hands service data and manufacturer data, wherever the frame's reading has found advertising data, to the plugins
    /// that they belong to. `bytes` are the frame's.
    func dissectAdvertised(
        _ bytes: Span<UInt8>, _ facts: FrameMetadata, _ batch: borrowing TrackedBatch, _ frame: DissectedFrame
    ) {
        guard plugins.readsAdvertising, scope.contains(.application) else { return }
        let reporters = batch.gathered.reporters[facts.packet.number]
        for place in advertisingData(frame.recorder) {
            let advertiser = reporters.map { $0.indices.contains(place.report) ? $0[place.report] : -1 } ?? facts.sender
            let data = bytes.extracting(place.range)
            var cursor = GAP.StructureCursor(data.rawBytes)
            while let (owner, range) = cursor.nextOwned() {
                let reader = ByteReader(
                    data.extracting(range), origin: place.range.lowerBound + range.lowerBound, recorder: frame.recorder)
                guard
                    let form = plugins.advertisedForm(
                        of: owner, reader.rest,
                        plugin: batch.advertisers[advertiser]?.plugin ?? -1)
                else { continue }
                dissect(reader, form.layout, form.plugin, [], frame)
                frame.values.append(DissectedFrame.CarriedValue(message: frame.message, advertiser: advertiser))
            }
        }
        if frame.values.count == 1, reporters == nil {
            frame.values.removeAll()
        } else {
            frame.message = nil
        }
    }

    /// Where advertising data lie in a frame, each with the number of its report in the event, from 0.
    private func advertisingData(_ recorder: FieldRecorder) -> [(range: Range<Int>, report: Int)] {
        var places: [(range: Range<Int>, report: Int)] = []
        var report = -1
        let fields = recorder.span
        for index in fields.indices {
            let recorded = fields[index]
            if recorded.field == HCI.Fields.report { report += 1 }
            guard recorded.field == GAP.Fields.advertisingData else { continue }
            let start = Int(recorded.offset)
            places.append((start..<(start + Int(recorded.length)), report))
        }
        return places
    }
}
