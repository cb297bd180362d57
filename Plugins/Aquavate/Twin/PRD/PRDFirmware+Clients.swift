import PluginKit

/// Reads and writes of clients (HB-2 to HB-4, HB-12, HB-13).
extension PRDFirmware {
    mutating func take(_ input: TwinInput, _ board: inout Board) {
        switch input {
        case .connected(let newcomer):
            guard client == nil else { return board.act(.disconnect(newcomer)) }
            client = newcomer
            isAdvertising = false
            lastActivity = board.now
        case .disconnected(client):
            client = nil
            isSyncing = false
            advertise(&board)
        case .read(let name, _, let ticket):
            lastActivity = board.now
            let characteristic = PuckCharacteristic(rawValue: name)
            if characteristic == .drinkHistory, !isSyncing, board.unsynced > 0 {
                isSyncing = true
                board.emit("sync_started", ["records": .number(board.unsynced)])
            }
            board.act(.answer(ticket, .value(read(characteristic, board))))
        case .write(let name, let bytes, _, let ticket):
            lastActivity = board.now
            write(PuckCharacteristic(rawValue: name), bytes, &board)
            if let ticket { board.act(.answer(ticket, .accepted)) }
        default: break
        }
    }

    /// Maximum number of records in a read of Drink History (HB-3).
    private static let mostRecords = 20

    private func read(_ characteristic: PuckCharacteristic?, _ board: Board) -> [UInt8] {
        switch characteristic {
        case .prdBottleConfig: board.wire.bytes(board.memory.required, as: .prdBottleConfig)
        case .drinkHistory:
            board.wire.bytes(
                PRDHistory(
                    records: board.memory.drinks.pending(limit: Self.mostRecords).map { PRDRecord($0) }),
                as: .drinkHistory)
        case .syncStatus: board.wire.bytes(board.unsynced, as: .pendingCount)
        default: []
        }
    }

    private mutating func write(_ characteristic: PuckCharacteristic?, _ bytes: [UInt8], _ board: inout Board) {
        switch characteristic {
        case .prdBottleConfig:
            guard let config = board.wire.value(of: bytes, as: .prdBottleConfig, PRDConfig.self) else { return }
            board.memory.required = config
            if let goal = config.goal { board.emit("goal", ["ml": .number(goal)]) }
            board.store()
        case .syncStatus:
            guard let last = board.wire.value(of: bytes, as: .acknowledgement, Int.self) else {
                return perform(bytes, &board)
            }
            let before = board.unsynced
            board.memory.drinks.markSynced { $0.id <= last }
            if board.unsynced == 0 { isSyncing = false }
            board.emit("sync_done", ["records": .number(before - board.unsynced), "unsynced": .number(board.unsynced)])
            board.store()
        default: break
        }
    }

    /// Performs a command (HB-12, HB-13).
    private mutating func perform(_ bytes: [UInt8], _ board: inout Board) {
        guard let control = board.wire.value(of: bytes, as: .prdControl, PRDControl.self) else { return }
        switch control.opcode {
        case .setTime:
            guard let time = control.time else { return }
            board.setClock(time)
            board.emit("time_set", ["time": .number(time)])
            board.saveTime()
            publishStatus(&board)
        case .startCalibration: startCalibration(with: control.volume, &board)
        case .cancelCalibration where control.parameters == nil: cancelCalibration(&board)
        case .cancelCalibration, .unnamed: break
        }
    }
}

extension PRDRecord {
    /// Derives the type from the amount (HB-9).
    init(_ drink: StoredDrink) {
        self.init(
            recordId: drink.id, timestamp: drink.timestamp, amount: drink.amount, bottleLevel: drink.level,
            synced: drink.isSynced ? .synced : .pending, type: .refill)
        type = typeOfAmount ?? .refill
    }
}
