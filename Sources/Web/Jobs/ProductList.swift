import Bluetooth
import Bytes
import Captures
import Conversation
import Dissection
import Output
import PluginKit
import Profile

/// The devices described by plugins, with the last value of each message, field by field.
struct ProductList {
    private let survey: Survey
    private let index: CaptureIndex
    private let lines: PacketLines

    init(_ survey: Survey, _ index: CaptureIndex) throws {
        (self.survey, self.index) = (survey, index)
        lines = PacketLines(index)
    }

    /// Maximum number of messages read.
    private static let limit = 2000

    var json: [JSONValue] {
        struct Owner: Hashable {
            var device: Int32
            var plugin: String
        }
        let general = Set(index.plugins.plugins.filter(\.isGeneral).map(\.id))
        var products: [Owner: [(key: Survey.MessageKey, last: Survey.Last)]] = [:]
        for (key, last) in survey.messages.prefix(Self.limit) {
            products[Owner(device: key.device, plugin: key.plugin), default: []].append((key, last))
        }
        // Values of standard services are listed under their device's product.
        for (owner, messages) in products where general.contains(owner.plugin) {
            let own = products.keys.first { $0.device == owner.device && !general.contains($0.plugin) }
            guard let own else { continue }
            products[own]? += messages
            products[owner] = nil
        }
        return products.filter { !general.contains($0.key.plugin) }
            .sorted { ($0.key.device, $0.key.plugin) < ($1.key.device, $1.key.plugin) }
            .map { owner, messages in
                let device = index.device(owner.device)
                let plugin = index.plugins.plugins.first { $0.id == owner.plugin }
                return .members([
                    "plugin": .string(owner.plugin),
                    "title": .string(plugin?.profile.profile.header.title ?? owner.plugin),
                    "device": .string(device?.title ?? "?"),
                    "address": device?.address.map { .string("\($0.address)") },
                    "values": .array(
                        messages.sorted { $0.key.title < $1.key.title }.flatMap { values(of: $0.key, $0.last) }),
                ])
            }
    }

    /// The fields of a message in the last packet that contains it.
    private func values(of key: Survey.MessageKey, _ last: Survey.Last) -> [JSONValue] {
        lines.visit(last.number) { frame, metadata, batch in
            let messages = ([frame.message] + frame.values.map(\.message)).compactMap { $0 }
            guard let message = messages.last(where: { $0.plugin == key.plugin && $0.title == key.title }) else {
                return []
            }
            let fields = frame.recorder.fields
            return message.fields.filter { !fields[$0].field.isGroup }.map { place in
                value(fields[place], in: key.title, frame, metadata, batch)
            }
        } ?? []
    }

    private func value(
        _ recorded: RecordedField, in title: String, _ frame: DissectedFrame, _ metadata: FrameMetadata,
        _ batch: TrackedBatch
    ) -> JSONValue {
        let field = recorded.field
        var text = TextWriter(capacity: 64)
        text.writeDisplay(recorded, in: metadata, of: batch, texts: frame.recorder.texts)
        var value = TextWriter(capacity: 64)
        value.writeJSONValue(recorded, in: metadata, of: batch, texts: frame.recorder.texts)
        return .members([
            "characteristic": .string(title), "field": .string(field.name), "label": .string(field.label),
            "text": .string(field.isSecret ? "(masked)" : String(decoding: text.bytes, as: UTF8.self)),
            "value": try? JSONValue(reading: value.bytes), "unit": field.unit.map { .string($0) },
            "number": .integer(metadata.packet.number),
            "time": .number((metadata.packet.time - batch.start).seconds),
        ])
    }
}
