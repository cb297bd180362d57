import Bluetooth
import Bytes

/// The stages of tables during discovery. Servers of one kind send the same responses in the same order, so a response
/// parsed for one server need not be parsed again for another.
struct TableGrowth: Sendable {
    /// A table at a point of discovery.
    private struct Stage: Sendable {
        var table: GATT.Table
        var watched: ServerValueHandles
        /// Index of the whole table among the tables of `AttributeTableStore`; nil until a server's discovery has ended
        /// at this stage.
        var kept: Int32?
        var steps: [Step] = []
    }

    /// A response at a stage, and the stage that it leads to.
    private struct Step: Sendable {
        let type: UUID?
        let value: UUID?
        let response: [UInt8]
        let next: Int32
    }

    /// The first stage is the empty table.
    private var stages = [Stage(table: GATT.Table(), watched: ServerValueHandles(), kept: nil)]
    /// Number of table entries in all stages.
    private var entries = 0

    /// The stage at which discovery begins.
    static let start: Int32 = 0
    /// Stages remembered, enough for some hundred kinds of devices.
    private static let stageLimit = 4096
    /// Table entries in all stages.
    private static let entryLimit = 100_000
    /// Steps from one stage, and bytes of a remembered response.
    private static let (stepLimit, responseLimit) = (16, 512)

    /// The stage that a response leads to; nil if the response is new at this stage.
    func next(after stage: Int32, _ response: RawSpan, to request: RequestFacts) -> Int32? {
        for step in stages[Int(stage)].steps
        where step.response.count == response.byteCount && step.type == request.type && step.value == request.value
            && response.begins(with: step.response)
        {
            return step.next
        }
        return nil
    }

    /// Remembers the table that a response led to and returns its stage; nil if there is no room for it.
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

    /// Index of a stage's whole table among the tables of `AttributeTableStore`.
    subscript(kept stage: Int32) -> Int32? {
        get { stages[Int(stage)].kept }
        set { stages[Int(stage)].kept = newValue }
    }
}
