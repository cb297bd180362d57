import Bluetooth
import Bytes
import Conversation
import Dissection

/// The plottable series of a capture, by device.
struct SeriesList {
    private let survey: Survey
    private let index: CaptureIndex

    init(_ survey: Survey, devices index: CaptureIndex) {
        (self.survey, self.index) = (survey, index)
    }

    /// Maximum number of series listed.
    private static let limit = 2000

    var json: [JSONValue] {
        var rows: [(order: String, value: JSONValue)] = []
        for (key, tally) in survey.series {
            let device = index.device(key.device)
            let address = device?.address.map { "\($0.address)" }
            let id = "\(key.field.name)@\(address ?? "\(key.device)")"
            let title = device?.title
            let group = title.map { tally.group == Survey.link ? $0 : "\($0) / \(tally.group)" } ?? tally.group
            let filter = address.map { "\(key.field.name) && peer == \($0)" } ?? "\(key.field.name) && !peer"
            let row = JSONValue.members([
                "id": .string(id), "label": .string(key.field.label), "group": .string(group),
                "field": .string(key.field.name),
                "filter": .string(filter),
                "unit": key.field.unit.map { .string($0) }, "count": .integer(tally.count),
                "min": .number(tally.lowest), "max": .number(tally.highest),
            ])
            rows.append((group + id, row))
        }
        let throughput = JSONValue.members([
            "id": .string(SeriesName.throughput), "label": .string("Throughput"), "group": .string("All connections"),
            "field": .string("btl2cap.length"), "unit": .string("bytes/s"), "count": .integer(index.packets),
        ])
        return [throughput] + rows.sorted { $0.order < $1.order }.prefix(Self.limit).map(\.value)
    }
}
