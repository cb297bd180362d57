import Bytes
import PluginKit

/// A task of the client within one connection, as a state machine.
protocol AppProcedure: Sendable {
    /// Its name in the client's events.
    var name: String { get }

    mutating func begin(at now: Timestamp, _ session: inout AppSession) -> ProcedureStep
    /// Handles a response, a notification, or the passing of time.
    mutating func take(_ input: ClientInput, at now: Timestamp, _ session: inout AppSession) -> ProcedureStep

    /// When the procedure gives up waiting, or acts next.
    var deadline: Timestamp? { get }
    /// Whether the connection has to end afterwards, for the puck to resume normal operation (section 9.5).
    var endsConnection: Bool { get }
}

extension AppProcedure {
    var endsConnection: Bool { false }
}

enum ProcedureStep: Sendable {
    case goOn([ClientAction] = [])
    case done([ClientAction] = [])
}

/// The client's knowledge of the puck: from this connection, and remembered from earlier ones.
struct AppSession: Sendable {
    let wire: PuckWire
    /// Longest value of a notification, in bytes.
    var capacity = 20
    /// As read in this connection; nil before.
    var config: BottleConfig?
    /// Received drinks, without duplicates.
    var drinks: Set<ReceivedDrink> = []
    /// Unsynced records that the puck counts but does not send.
    var ghosts = 0
    private var clock = ClockOffset()
    /// Seconds by which the puck's epoch is ahead of UTC; nil if unknown.
    var offset: Int? { clock.seconds }
    /// Whether the last Current State of this connection suggests another offset and may be older than SET_TIME.
    var isOffsetDoubtful: Bool { clock.isDoubtful }

    /// Identity of a drink. An ID alone is not unique: IDs can restart.
    struct ReceivedDrink: Hashable, Sendable {
        var id: Int
        var timestamp: Int
        var amount: Int
    }

    init(_ wire: PuckWire) {
        self.wire = wire
    }

    /// Starts a new connection: values have to be read again.
    mutating func begin(capacity: Int) {
        self.capacity = capacity
        config = nil
        clock.beginConnection()
    }

    /// Learns the puck's offset from UTC from a Current State.
    mutating func learnOffset(from input: ClientInput, at now: Timestamp) {
        guard let bytes = input.value(updateOf: .currentState) ?? input.value(readFrom: .currentState),
            let state = wire.value(of: bytes, as: .currentState, CurrentState.self)
        else { return }
        clock.learn(stateTime: state.timestamp, received: now.wholeSeconds)
    }

    func command(_ command: PuckCommand) -> ClientAction {
        .write(PuckCharacteristic.command.rawValue, wire.bytes(command, as: .command))
    }

    /// A command in the dialect `prd` (HB-12).
    func control(_ control: PRDControl) -> ClientAction {
        .write(PuckCharacteristic.syncStatus.rawValue, wire.bytes(control, as: .prdControl))
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
    /// The value of a successful read of a characteristic; nil for any other input.
    func value(readFrom characteristic: PuckCharacteristic) -> [UInt8]? {
        if case .read(characteristic.rawValue, .success(let bytes)) = self { return bytes }
        return nil
    }

    /// The value of a notification of a characteristic; nil for any other input.
    func value(updateOf characteristic: PuckCharacteristic) -> [UInt8]? {
        if case .notified(characteristic.rawValue, let bytes) = self { return bytes }
        return nil
    }

    /// The fault of a failed request for a characteristic; nil for any other input.
    func fault(at characteristic: PuckCharacteristic) -> ClientFault? {
        switch self {
        case .read(characteristic.rawValue, .failure(let fault)): fault
        case .written(characteristic.rawValue, let fault?): fault
        default: nil
        }
    }
}

extension TwinNote {
    /// The event of a failed procedure.
    static func failure(of procedure: String, _ reason: String) -> ClientAction {
        .event(TwinNote("\(procedure)_failed", ["reason": .text(reason)]))
    }
}
