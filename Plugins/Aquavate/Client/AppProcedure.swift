import Bytes
import PluginKit

/// Something that the client wants of the puck in one connection, as a state machine of its own.
protocol AppProcedure: Sendable {
    /// Its name in what the client tells.
    var name: String { get }

    mutating func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep
    /// Takes an answer, a value that was told, or that time has passed.
    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep

    /// When it gives up waiting, or has something to do.
    var deadline: Timestamp? { get }
    /// The connection has to end when it is done, for the puck to go back to its usual ways (section 9.5).
    var endsConnection: Bool { get }
}

extension AppProcedure {
    var endsConnection: Bool { false }
}

/// What a procedure does next.
enum ProcedureStep: Sendable {
    case goOn([ClientAction] = [])
    case done([ClientAction] = [])
}

/// What the client knows of the puck: of this connection, and what it remembers.
struct AppSession: Sendable {
    let wire: PuckWire
    /// Longest value that a notification carries, in bytes.
    var capacity = 20
    /// As read in this connection; nil before.
    var config: BottleConfig?
    /// Drinks that were received, without those that came twice.
    var drinks: Set<ReceivedDrink> = []
    /// Unsynced records that the puck counts and does not send.
    var ghosts = 0
    /// Seconds that the puck's epoch is ahead of UTC.
    private(set) var offset = 0

    /// What tells one drink from another: IDs alone begin anew.
    struct ReceivedDrink: Hashable, Sendable {
        var id: Int
        var timestamp: Int
        var amount: Int
    }

    init(_ wire: PuckWire) {
        self.wire = wire
    }

    /// A new connection: values have to be read again.
    mutating func begin(capacity: Int) {
        self.capacity = capacity
        config = nil
    }

    /// Learns the puck's offset from UTC, which only the time of its state shows: whole hours from the present. One that is not
    /// new, or of a clock that was not set, tells nothing.
    mutating func learnOffset(from input: ClientInput, at now: Timestamp) {
        guard let bytes = input.value(toldOf: .currentState) ?? input.value(readFrom: .currentState),
            let state = wire.value(of: bytes, as: .currentState, CurrentState.self)
        else { return }
        let difference = state.timestamp - now.wholeSeconds
        let nearest = Int((Double(difference) / 3600).rounded()) * 3600
        if abs(nearest) <= 14 * 3600, abs(difference - nearest) <= 60 { offset = nearest }
    }

    /// A command for the puck.
    func command(_ command: PuckCommand) -> ClientAction {
        .write(PuckCharacteristic.command.rawValue, wire.bytes(command, as: .command))
    }

    func request(_ request: SyncRequest) -> ClientAction {
        .write(PuckCharacteristic.syncControl.rawValue, wire.bytes(request, as: .syncRequest))
    }

    static func read(_ characteristic: PuckCharacteristic) -> ClientAction { .read(characteristic.rawValue) }
    static func subscribe(_ characteristic: PuckCharacteristic) -> ClientAction {
        .subscribe(characteristic.rawValue, true)
    }
}

extension ClientInput {
    /// The value that was read of a characteristic.
    func value(readFrom characteristic: PuckCharacteristic) -> [UInt8]? {
        if case .read(characteristic.rawValue, .success(let bytes)) = self { return bytes }
        return nil
    }

    /// The value that was told of a characteristic.
    func value(toldOf characteristic: PuckCharacteristic) -> [UInt8]? {
        if case .notified(characteristic.rawValue, let bytes) = self { return bytes }
        return nil
    }

    /// Why a request for a characteristic failed.
    func fault(at characteristic: PuckCharacteristic) -> ClientFault? {
        switch self {
        case .read(characteristic.rawValue, .failure(let fault)): fault
        case .written(characteristic.rawValue, let fault?): fault
        default: nil
        }
    }
}

extension TwinNote {
    /// A procedure has failed.
    static func failure(of procedure: String, _ reason: String) -> ClientAction {
        .tell(TwinNote("\(procedure)_failed", ["reason": .text(reason)]))
    }
}
