import Bytes
import Dissection
import Output

/// A packet that changes how a connection goes on: its encryption, its MTU, its interval.
struct LinkChange: Sendable {
    enum Kind: String, Sendable {
        case encryption, mtu, interval
    }

    let kind: Kind
    let number: Int
    let connection: Int
    /// Seconds from the first packet.
    let time: Double
    let text: String

    /// Changes that are kept.
    private static let limit = 20_000

    /// What tells of changes: a filter, and the fields that it gives with their words.
    private static let signs: [(kind: Kind, field: String, word: @Sendable (String) -> String?)] = [
        (.encryption, "bthci_evt.encryption_enable", { $0 == "0" || $0 == "0x00" ? "not encrypted" : "encrypted" }),
        (.mtu, "btatt.server_rx_mtu", { "MTU \($0)" }),
        (.interval, "bthci_evt.le_con_interval", { "interval \($0) ms" }),
        (.interval, "btle.control.interval", { "interval \($0) ms" }),
        (.interval, "btle.link_layer_data.interval", { "interval \($0) ms" }),
    ]
    private static let encryptionStarts = "btle.control_opcode == 0x05"

    /// The changes of a capture, in order.
    static func find(
        in index: CaptureIndex, _ catalog: FieldCatalog, _ goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws -> [LinkChange] {
        let fields = signs.map(\.field)
        let filter = try DisplayFilter((fields + [encryptionStarts]).joined(separator: " || "), catalog: catalog)
        var layout = FieldsPrinter.Layout()
        layout.occurrence = .first
        let columns = ["frame.number", "connection", "frame.time_relative", "btle.control_opcode"] + fields
        let printer = try FieldsPrinter(columns, catalog: catalog, layout: layout)
        var changes: [LinkChange] = []
        try await index.decode(printer, filter) { text, frames in
            let lines = String(decoding: ByteReader(text).restBytes, as: UTF8.self)
            for line in lines.split(separator: "\n") where changes.count < limit {
                changes += Self.read(
                    line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init), catalog)
            }
            return goesOn(frames)
        }
        return changes
    }

    /// The changes that a line of columns tells.
    private static func read(_ parts: [String], _ catalog: FieldCatalog) -> [LinkChange] {
        guard parts.count == signs.count + 4, let number = Int(parts[0]), let connection = Int(parts[1]),
            let time = Double(parts[2])
        else { return [] }
        var changes: [LinkChange] = []
        func add(_ kind: Kind, _ text: String) {
            changes.append(LinkChange(kind: kind, number: number, connection: connection, time: time, text: text))
        }
        if parts[3] == "0x05" { add(.encryption, "encrypted") }
        for (sign, value) in zip(signs, parts[4...]) where !value.isEmpty {
            if let text = sign.word(physical(value, sign.field, catalog)) { add(sign.kind, text) }
        }
        return changes
    }

    /// A number of a column in its field's unit: columns have it as it was sent.
    private static func physical(_ text: String, _ name: String, _ catalog: FieldCatalog) -> String {
        guard let field = catalog[name].first, field.isScaled, let raw = Double(text) else { return text }
        let value = raw * field.scale + field.bias
        return value == value.rounded() ? "\(Int(value))" : "\(value)"
    }
}
