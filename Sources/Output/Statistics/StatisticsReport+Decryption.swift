import Bytes
import Conversation
import Dissection
import Keys

/// What of a capture was encrypted on the air, and what of it keys have opened.
extension StatisticsReport {
    /// The member `decryption` of the JSON report; nil for a capture without encryption.
    var decryption: JSONValue? {
        let summary = outcome.tracker.decryption
        if summary.isEmpty { return nil }
        return .members([
            "encrypted": .integer(summary.encrypted),
            "decrypted": .integer(summary.decrypted),
            "bad_crc": .integer(summary.badCRC),
            "undecrypted": .array(
                summary.undecrypted.map {
                    .members(["reason": .string($0.reason.rawValue), "packets": .integer($0.packets)])
                }),
            "sessions": .array(
                summary.sessions.map {
                    .members([
                        "connection": .integer(Int($0.connection) + 1),
                        "key": .string($0.key.rawValue),
                        "source": .string($0.source),
                        "encrypted": .integer($0.encrypted),
                        "decrypted": .integer($0.decrypted),
                    ])
                }),
        ])
    }

    /// Rows of the text report: the totals, the reasons, and the sessions.
    var decryptionRows: [(name: String, text: String)] {
        let summary = outcome.tracker.decryption
        if summary.isEmpty { return [] }
        var rows = [("encrypted PDUs", "\(summary.decrypted) of \(summary.encrypted) decrypted")]
        if summary.badCRC > 0 { rows.append(("with a bad CRC", "\(summary.badCRC)")) }
        rows += summary.undecrypted.map { ("closed: \($0.reason.rawValue)", "\($0.packets)") }
        rows += summary.sessions.prefix(Self.sessionRows).map {
            (
                "connection \(Int($0.connection) + 1)",
                "\($0.decrypted) of \($0.encrypted) decrypted, \($0.key.rawValue): \($0.source)"
            )
        }
        let more = summary.sessions.count - Self.sessionRows
        if more > 0 { rows.append(("more sessions", "\(more)")) }
        return rows
    }

    /// Sessions listed in the text report.
    private static let sessionRows = 20
}

extension DecryptionSummary.Session {
    /// Where the key comes from.
    fileprivate var source: String {
        let place =
            switch origin {
            case .given: "given"
            case .file(let name): name.legible()
            case .frame(let number, let what): "\(what) in frame \(number)"
            case .pairing(let number, let how): "pairing in frame \(number): \(how)"
            }
        return isReversed ? place + " (bytes reversed)" : place
    }
}
