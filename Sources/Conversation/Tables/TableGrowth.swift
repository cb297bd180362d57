import Bluetooth
import Bytes

/// How tables grow by discovery: servers of one kind tell the same things in the same order, so what the first one's
/// response told need not be read again when it comes from another one.
struct TableGrowth: Sendable {
    /// A table as far as discovery has come.
    private struct Stage: Sendable {
        var table: GATT.Table
        var watched: ServerValueHandles
        /// Where the whole table is kept; nil until a server's discovery has ended with it.
        var kept: Int32?
        var steps: [Step] = []
    }

    /// A response that came at a stage, and what it led to.
    private struct Step: Sendable {
        let type: UUID?
        let value: UUID?
        let response: [UInt8]
        let next: Int32
    }

    /// The first one is the empty table.
    private var stages = [Stage(table: GATT.Table(), watched: ServerValueHandles(), kept: nil)]
    /// Entries of all stages.
    private var entries = 0

    /// Where discovery begins.
    static let start: Int32 = 0
    /// Stages that are remembered: what some hundred kinds of devices go through.
    private static let stageLimit = 4096
    /// Entries in all of them.
    private static let entryLimit = 100_000
    /// Ways on from one stage, and bytes of a response that is remembered.
    private static let (stepLimit, responseLimit) = (16, 512)

    /// The stage that a response leads to; nil where it was not told at this stage before.
    func next(after stage: Int32, _ response: RawSpan, to request: RequestFacts) -> Int32? {
        for step in stages[Int(stage)].steps
        where step.response.count == response.byteCount && step.type == request.type && step.value == request.value
            && response.begins(with: step.response)
        {
            return step.next
        }
        return nil
    }

    /// Remembers what a response led to; gives its stage, or nil where there is no room for it.
    mutating func add(
        _ table: GATT.Table, _ watched: ServerValueHandles, after stage: Int32, _ response: [UInt8],
        to request: RequestFacts
    ) -> Int32? {
        guard stages.count < Self.stageLimit, entries + table.count <= Self.entryLimit,
            stages[Int(stage)].steps.count < Self.stepLimit, response.count <= Self.responseLimit
        else { return nil }
        entries += table.count
        let next = Int32(stages.count)
        stages.append(Stage(table: table, watched: watched, kept: nil))
        stages[Int(stage)].steps.append(
            Step(type: request.type, value: request.value, response: response, next: next))
        return next
    }

    func table(at stage: Int32) -> GATT.Table { stages[Int(stage)].table }
    func watched(at stage: Int32) -> ServerValueHandles { stages[Int(stage)].watched }

    /// Where the table of a stage is kept whole.
    subscript(kept stage: Int32) -> Int32? {
        get { stages[Int(stage)].kept }
        set { stages[Int(stage)].kept = newValue }
    }
}
