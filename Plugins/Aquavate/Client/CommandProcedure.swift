import Bytes
import PluginKit

/// Writes one command and waits for its confirmation, if there is one.
struct CommandProcedure: AppProcedure {
    let name: String
    private let characteristic: PuckCharacteristic
    private let action: @Sendable (AppSession) -> ClientAction
    private let isConfirmed: Bool
    /// The store change that follows; its argument is the time, in seconds of the puck's epoch.
    private var change: (@Sendable (Int) -> StoreChange)?
    private(set) var deadline: Timestamp?

    private static let timeout = Duration.seconds(5)

    init(_ name: String, _ kind: PuckCommand.Kind) {
        self.name = name
        characteristic = .command
        action = { $0.command(PuckCommand(opcode: kind)) }
        isConfirmed = false
        if kind == .resetDaily { change = { PuckTables.deletion(ofDayAt: $0) } }
    }

    /// A command in the dialect `prd`.
    init(_ name: String, control: PRDControl) {
        self.name = name
        characteristic = .syncStatus
        action = { $0.control(control) }
        isConfirmed = false
    }

    /// Deletes a drink; a Current State notification confirms it (section 7.3).
    init(deleting id: Int) {
        name = "delete_drink"
        characteristic = .command
        action = { $0.command(.deleteDrink(recordId: id)) }
        isConfirmed = true
        change = { _ in PuckTables.deletion(of: id) }
    }

    mutating func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if isConfirmed { deadline = now + Self.timeout }
        return .goOn([action(session)])
    }

    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep {
        if let fault = input.fault(at: characteristic) { return .done([TwinNote.failure(of: name, "\(fault)")]) }
        let isDone =
            isConfirmed
            ? input.value(updateOf: .currentState) != nil
            : input == .written(characteristic.rawValue, nil)
        if isDone {
            let change = change?(now.wholeSeconds + (session.offset ?? 0))
            return .done([.event(TwinNote("\(name)_done"))] + (change.map { [.commit([$0])] } ?? []))
        }
        guard input == .time, let deadline, now >= deadline else { return .goOn() }
        return .done([TwinNote.failure(of: name, "nothing confirmed it")])
    }
}
