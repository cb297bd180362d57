import Bluetooth
import Bytes
import Host

/// Test coverage: the inputs tried for each characteristic and field, and their outcomes.
package struct Coverage: Sendable {
    /// Classes of input.
    package enum Kind: String, Sendable, CaseIterable {
        case read
        case readRefused = "read refused"
        case readBlob = "read by parts"
        case write
        case writeLength = "wrong length"
        case writeRefused = "write refused"
        case writeCommand = "write command"
        case prepared = "queued write"
        case value = "field values"
        case configuration = "CCCD"
        case sent = "notified"
    }

    enum Outcome: Hashable, Sendable {
        case value, accepted, noResponse, lost
        case refused(ATT.ErrorCode)
    }

    private struct Input: Hashable {
        var characteristic: String
        /// The field varied; empty for the whole value.
        var field: String
        var kind: Kind
    }

    private struct Tally {
        var tried = 0
        var outcomes: [Outcome: Int] = [:]

        /// Errors with their counts: `0x0d:3 0x80:1`.
        var errors: String {
            outcomes.compactMap { outcome, count -> String? in
                guard case .refused(let code) = outcome else { return nil }
                return "0x\(String(hex: code.rawValue, digits: 2)):\(count)"
            }.sorted().joined(separator: " ")
        }

        var refused: Int {
            outcomes.reduce(0) { sum, one in if case .refused = one.key { sum + one.value } else { sum } }
        }
    }

    private var tallies: [Input: Tally] = [:]
    /// The input whose outcome is pending, and the number of outcomes expected for it.
    private var pending: (input: Input, count: Int)?

    package init() {}

    /// Records an input about to be sent, or a value that the device has sent.
    package mutating func add(_ kind: Kind, of characteristic: String, field: String? = nil, count: Int = 1) {
        let input = Input(characteristic: characteristic, field: field ?? "", kind: kind)
        tallies[input, default: Tally()].tried += count
        switch kind {
        case .sent:
            tallies[input]?.outcomes[.value, default: 0] += count
            pending = nil
        case .writeCommand: pending = nil
        default: pending = (input, count)
        }
    }

    /// Records the outcome of the last input.
    mutating func note(_ outcome: Outcome) {
        guard let (input, count) = pending else { return }
        pending = count > 1 ? (input, count - 1) : nil
        tallies[input]?.outcomes[outcome, default: 0] += 1
    }

    package mutating func add(_ other: Coverage) {
        for (input, tally) in other.tallies {
            tallies[input, default: Tally()].tried += tally.tried
            tallies[input]?.outcomes.merge(tally.outcomes, uniquingKeysWith: +)
        }
    }
}

extension Coverage.Outcome {
    /// The outcome of a procedure; nil if it says nothing about the device.
    init?(_ result: Result<AttributeClient.Outcome, AttributeClient.Failure>) {
        switch result {
        case .success(.value): self = .value
        case .success(.response(let bytes)):
            let answer = Answer(bytes)
            if let error = answer.error {
                self = .refused(error.errorCode)
            } else {
                let isRead =
                    answer.pdu is ATT.ReadResponse || answer.pdu is ATT.ReadBlobResponse
                    || answer.pdu is ATT.ReadByTypeResponse
                self = isRead ? .value : .accepted
            }
        case .success: self = .accepted
        case .failure(.refused(let code, _)): self = .refused(code)
        case .failure(.timedOut): self = .noResponse
        case .failure(.disconnected): self = .lost
        case .failure: return nil
        }
    }
}

extension Coverage {
    private static let columns = [
        "characteristic", "field", "input", "tried", "value", "accepted", "refused", "no response", "lost", "errors",
    ]

    private var rows: [[String]] {
        let order = Dictionary(uniqueKeysWithValues: Kind.allCases.enumerated().map { ($1, $0) })
        let inputs = tallies.sorted { one, other in
            let (a, b) = (one.key, other.key)
            return (a.characteristic, order[a.kind] ?? 0, a.field) < (b.characteristic, order[b.kind] ?? 0, b.field)
        }
        return inputs.map { input, tally in
            let counts = [.value, .accepted].map { tally.outcomes[$0] ?? 0 } + [tally.refused]
            let silent = [.noResponse, .lost].map { tally.outcomes[$0] ?? 0 }
            return [input.characteristic, input.field, input.kind.rawValue]
                + ([tally.tried] + counts + silent).map(String.init) + [tally.errors]
        }
    }

    /// One line for each class of input of a characteristic or of one of its fields.
    package var csv: String {
        ([Self.columns] + rows).map { $0.joined(separator: ",") + "\n" }.joined()
    }

    /// The coverage as a table, without zeros.
    package var text: String {
        let table = [Self.columns] + rows.map { row in row.map { $0 == "0" ? "" : $0 } }
        let widths = Self.columns.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { row in
            let cells = row.indices.map { column in
                let blanks = String(repeating: " ", count: widths[column] - row[column].count)
                return (3..<9).contains(column) ? blanks + row[column] : row[column] + blanks
            }
            let line = cells.joined(separator: "  ")
            return line[...(line.lastIndex { $0 != " " } ?? line.startIndex)] + "\n"
        }.joined()
    }
}
