import Bluetooth
import Bytes
import PluginKit

/// Compares the procedures of two connections: which correspond, and how those that do differ.
struct ProcedureComparison {
    private var a: Side
    private var b: Side
    private(set) var differences: [Difference] = []
    /// Indices of corresponding procedures.
    private(set) var matches: [(one: Int, other: Int)] = []
    /// Procedures that one side lacks, perhaps because its capture lacks packets there.
    private(set) var uncertain = 0
    /// Procedures that only one of two different views shows.
    private(set) var inOneView = 0

    /// The procedures of one connection.
    private struct Side {
        let connection: ConnectionOutline
        let outline: CaptureOutline
        var tokens: [ProcedureAlignment.Token] = []

        subscript(index: Int) -> ProcedureOutline { connection.procedures[index] }
    }

    /// What identifies a procedure: neither handles nor values.
    private struct Identity: Hashable {
        let opcode: ATT.Opcode
        let type: UUID?
        let attribute: AttributePath?
        let sender: FrameReference.Sender
    }

    init(_ a: ConnectionOutline, of outlineA: CaptureOutline, _ b: ConnectionOutline, of outlineB: CaptureOutline) {
        self.a = Side(connection: a, outline: outlineA)
        self.b = Side(connection: b, outline: outlineB)
    }

    /// Aligns the procedures and finds their differences, in order.
    mutating func compare() {
        let (tokensA, tokensB) = makeTokens()
        matches = ProcedureAlignment.matches(of: tokensA, tokensB)
        let moves = findMoves(tokensA, tokensB)
        var (nextA, nextB) = (0, 0)
        for (one, other) in matches {
            addRest(nextA..<one, nextB..<other, tokensA, tokensB, moves)
            compare(one, other)
            (nextA, nextB) = (one + 1, other + 1)
        }
        addRest(
            nextA..<a.connection.procedures.count, nextB..<b.connection.procedures.count, tokensA, tokensB, moves)
    }
}

// MARK: - Identities

extension ProcedureComparison {
    private mutating func makeTokens() -> ([ProcedureAlignment.Token], [ProcedureAlignment.Token]) {
        var numbers: [Identity: Int] = [:]
        // A capture that begins within a connection does not show which side is the central.
        let hasRoles = a.connection.hasRoles && b.connection.hasRoles
        func tokens(_ side: Side) -> [ProcedureAlignment.Token] {
            side.connection.procedures.map { procedure in
                let identity = Identity(
                    opcode: procedure.opcode, type: procedure.type,
                    attribute: side.outline.attribute(of: procedure)?.path,
                    sender: hasRoles ? procedure.sender : .unknown)
                let number = numbers[identity] ?? numbers.count
                numbers[identity] = number
                var hasher = Hasher()
                hasher.combine(number)
                hasher.combine(procedure.outcome)
                switch procedure.content {
                case .none: break
                case .mtu(let client, let server):
                    hasher.combine(client)
                    hasher.combine(server)
                case .value(let value):
                    hasher.combine(value.length)
                    hasher.combine(side.outline.bytes(of: value))
                }
                return ProcedureAlignment.Token(identity: number, content: hasher.finalize())
            }
        }
        a.tokens = tokens(a)
        b.tokens = tokens(b)
        return (a.tokens, b.tokens)
    }

    /// A number for what identifies a procedure of A.
    func identity(ofA index: Int) -> Int { a.tokens[index].identity }

    /// A procedure of A in words: `Write Request Battery Level`.
    func subject(ofA index: Int) -> String { Self.subject(of: a[index], in: a.outline) }

    private static func subject(of procedure: ProcedureOutline, in outline: CaptureOutline) -> String {
        let opcode = procedure.opcode
        let name = opcode.name ?? "opcode 0x\(String(hex: opcode.rawValue, digits: 2))"
        if let attribute = outline.attribute(of: procedure) { return "\(name) \(attribute.name)" }
        guard let type = procedure.type else { return name }
        var names = AttributeNames()
        let title = names.attribute(type)
        return "\(name) \(title == type.description ? names.service(type) : title)"
    }
}

// MARK: - Procedures that correspond

extension ProcedureComparison {
    private mutating func compare(_ one: Int, _ other: Int) {
        // Most are equal in all.
        if a.tokens[one].content == b.tokens[other].content { return }
        let (before, now) = (a[one], b[other])
        let frames = (before.first...max(before.first, before.last), now.first...max(now.first, now.last))
        if before.outcome != now.outcome {
            if before.outcome == .unknown || now.outcome == .unknown {
                uncertain += 1
            } else {
                differences.append(
                    Difference(
                        .outcome, subject(ofA: one), a: frames.0, b: frames.1,
                        [FieldDifference("response", "\(before.outcome)", "\(now.outcome)")]))
            }
        }
        let fields: [FieldDifference]
        switch (before.content, now.content) {
        case (.value(let value), .value(let another)):
            fields = ValueComparison.fields(value, in: a.outline, another, in: b.outline)
        case (.mtu(let client, let server), .mtu(let otherClient, let otherServer)):
            var parts: [FieldDifference] = []
            if client != otherClient { parts.append(FieldDifference("Client Rx MTU", "\(client)", "\(otherClient)")) }
            if let server, let otherServer, server != otherServer {
                parts.append(FieldDifference("Server Rx MTU", "\(server)", "\(otherServer)"))
            }
            fields = parts
        default: return
        }
        if fields.isEmpty { return }
        differences.append(Difference(.value, subject(ofA: one), a: frames.0, b: frames.1, fields))
    }
}

// MARK: - Procedures of one side

extension ProcedureComparison {
    /// Procedures that come at another place in the other connection, by their indices.
    private struct Moves {
        /// The indices in B, by those in A.
        var ofA: [Int: Int] = [:]
        var ofB: Set<Int> = []
    }

    /// Finds procedures without a partner in the alignment that are equal in all. What the server sends by itself has no
    /// order.
    private func findMoves(
        _ tokensA: [ProcedureAlignment.Token], _ tokensB: [ProcedureAlignment.Token]
    ) -> Moves {
        // A host's log has a request when the host sends it, the air when it is heard.
        if a.connection.view != b.connection.view { return Moves() }
        let (matchedA, matchedB) = (Set(matches.map(\.one)), Set(matches.map(\.other)))
        var places: [Int: [Int]] = [:]
        for index in tokensB.indices.reversed() where !matchedB.contains(index) && !b[index].isSentByServer {
            places[tokensB[index].content, default: []].append(index)
        }
        var moves = Moves()
        for index in tokensA.indices where !matchedA.contains(index) && !a[index].isSentByServer {
            guard let place = places[tokensA[index].content]?.popLast() else { continue }
            moves.ofA[index] = place
            moves.ofB.insert(place)
        }
        return moves
    }

    /// Adds the procedures between two pairs that correspond: those of A, then those of B.
    private mutating func addRest(
        _ rangeA: Range<Int>, _ rangeB: Range<Int>, _ tokensA: [ProcedureAlignment.Token],
        _ tokensB: [ProcedureAlignment.Token], _ moves: Moves
    ) {
        for index in rangeA {
            guard let place = moves.ofA[index] else { continue }
            let (one, other) = (a[index], b[place])
            differences.append(
                Difference(
                    .order, subject(ofA: index), a: one.first...max(one.first, one.last),
                    b: other.first...max(other.first, other.last), [precedence(index, place)]))
        }
        let ofA = rangeA.filter { moves.ofA[$0] == nil && isCertain(a[$0], missingFrom: b, before: rangeB.upperBound) }
        let ofB = rangeB.filter {
            !moves.ofB.contains($0) && isCertain(b[$0], missingFrom: a, before: rangeA.upperBound)
        }
        let absent = rangeA.count { moves.ofA[$0] == nil } + rangeB.count { !moves.ofB.contains($0) }
        let doubtful = absent - ofA.count - ofB.count
        if a.connection.view != b.connection.view { inOneView += doubtful } else { uncertain += doubtful }
        for run in Self.runs(ofA, tokensA) {
            let (first, last) = (a[run[0]], a[run[run.count - 1]])
            differences.append(
                Difference(
                    .only, Self.subject(of: first, in: a.outline), a: first.first...max(first.first, last.last),
                    b: nil, count: run.count))
        }
        for run in Self.runs(ofB, tokensB) {
            let (first, last) = (b[run[0]], b[run[run.count - 1]])
            differences.append(
                Difference(
                    .only, Self.subject(of: first, in: b.outline), a: nil,
                    b: first.first...max(first.first, last.last), count: run.count))
        }
    }

    /// Procedures in a row with equal identities, as one group each.
    private static func runs(_ indices: [Int], _ tokens: [ProcedureAlignment.Token]) -> [[Int]] {
        var runs: [[Int]] = []
        for index in indices {
            if let last = runs.last?.last, last == index - 1, tokens[last].identity == tokens[index].identity {
                runs[runs.count - 1].append(index)
            } else {
                runs.append([index])
            }
        }
        return runs
    }

    /// Whether a procedure did not take place on the other side, before the procedure with an index there: the captures
    /// are of one kind, and nothing of that part of the connection is missing.
    private func isCertain(_ procedure: ProcedureOutline, missingFrom side: Side, before next: Int) -> Bool {
        if a.connection.view != b.connection.view { return false }
        let procedures = side.connection.procedures
        if next == 0, !side.connection.isBeginningCaptured { return false }
        let lastGap = next < procedures.count ? procedures[next].lastGap : side.connection.lastGap
        let start = next > 0 ? procedures[next - 1].first : 0
        return lastGap <= start
    }

    /// What a moved procedure comes after on each side.
    private func precedence(_ one: Int, _ other: Int) -> FieldDifference {
        FieldDifference(
            "after", one > 0 ? Self.subject(of: a[one - 1], in: a.outline) : "nothing",
            other > 0 ? Self.subject(of: b[other - 1], in: b.outline) : "nothing")
    }
}
