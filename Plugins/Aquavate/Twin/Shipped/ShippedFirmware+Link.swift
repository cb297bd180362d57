import Bytes
import PluginKit

/// Handling of clients (sections 3 and 4).
extension ShippedFirmware {
    /// Sets the values after a boot.
    mutating func publishInitialValues(_ board: inout Board) {
        for (name, value) in board.identity.information { board.act(.set(name, value)) }
        board.set(.batteryLevel, board.wire.bytes(battery, as: .batteryLevel))
        board.set(.currentState, board.wire.bytes(state, as: .currentState))
        board.set(.drinkData, board.wire.bytes(DrinkChunkValue.none, as: .drinkChunk))
        let summary = ActivitySummary(
            motionCount: 0, backpackCount: 0, inBackpack: false, flags: .init(timeValid: false), sessionStart: 0,
            timerWakes: 0)
        board.set(.activityStats, board.wire.bytes(summary, as: .activitySummary))
        let idle = CalibrationValue(state: .idle, flags: .init(failed: false), emptyAdc: 0, fullAdc: 0)
        board.set(.calibrationState, board.wire.bytes(idle, as: .calibrationState))
        if !board.quirks.shows(.zeroesAfterBoot) {
            reading = board.weigh()
            publishEvaluation(&board)
            publishBattery(&board)
        }
    }

    /// Handles a client's input.
    mutating func take(_ input: TwinInput, _ board: inout Board) {
        switch input {
        case .connected(let newcomer):
            // One client at a time.
            guard client == nil, isRadioOn else { return board.act(.disconnect(newcomer)) }
            client = newcomer
            capacity = 20
        case .disconnected(client): loseClient(&board)
        case .capacity(let bytes, client): capacity = bytes
        case .read, .write: request(input, &board)
        default: break
        }
    }

    private mutating func loseClient(_ board: inout Board) {
        client = nil
        isInCalibrationMode = false
        pointMeasurement = nil
        pointResult = nil
        deferred.removeAll()
        if isRadioOn { board.act(.advertise(board.identity.advertising)) }
    }

    /// Defers a request while a measurement blocks the Bluetooth task.
    private mutating func request(_ input: TwinInput, _ board: inout Board) {
        guard pointMeasurement != nil else { return answer(input, &board) }
        if deferred.count < Self.deferredLimit { deferred.append(input) }
    }

    mutating func serveDeferred(_ board: inout Board) {
        while pointMeasurement == nil, let input = deferred.popFirst() { answer(input, &board) }
    }

    private mutating func answer(_ input: TwinInput, _ board: inout Board) {
        switch input {
        case .read(let name, _, let ticket):
            let value = read(PuckCharacteristic(rawValue: name), &board)
            board.act(.answer(ticket, value.map { .value($0) } ?? .refused(Self.readNotPermitted)))
        case .write(let name, let bytes, _, let ticket):
            let isAnsweredLater = write(PuckCharacteristic(rawValue: name), bytes, ticket, &board)
            // The effects of a write come before its answer.
            if let ticket, !isAnsweredLater { board.act(.answer(ticket, .accepted)) }
        default: break
        }
    }

    /// ATT error Read Not Permitted (Vol 3, Part F, 3.4.1.1).
    private static let readNotPermitted: UInt8 = 0x02

    // MARK: Reads

    private mutating func read(_ characteristic: PuckCharacteristic?, _ board: inout Board) -> [UInt8]? {
        switch characteristic {
        case .bottleConfig:
            reloadConfig(board)
            return config
        case .syncControl:
            isActivityMarked = true
            return board.wire.bytes(
                SyncStatus(count: board.unsynced, status: sync.status, chunkSize: sync.chunkSize),
                as: .syncStatus)
        case .deviceSettings:
            settings.flags.shakeToEmpty = board.memory.shakeToEmpty ?? !board.quirks.shows(.shakeOffAtFirst)
            return board.wire.bytes(settings, as: .deviceSettings)
        default: return nil
        }
    }

    /// Replaces the written config by the stored one; without a calibration, the written one stays.
    private mutating func reloadConfig(_ board: Board) {
        if let stored = board.memory.loadedCalibration {
            let tare = board.quirks.shows(.shrinkingTare) ? stored.tare : stored.nearestTare
            config = board.wire.bytes(
                BottleConfig(scale: stored.scale, tare: tare, capacity: CellScale.capacity, goal: board.memory.goal),
                as: .bottleConfig)
        } else if !board.quirks.shows(.echoesConfig) {
            var usual = BottleConfig.uncalibrated
            usual.goal = board.memory.goal
            config = board.wire.bytes(usual, as: .bottleConfig)
        }
    }

    // MARK: Writes

    /// Handles a write; returns whether the answer comes later.
    private mutating func write(
        _ characteristic: PuckCharacteristic?, _ bytes: [UInt8], _ ticket: TwinTicket?, _ board: inout Board
    ) -> Bool {
        switch characteristic {
        case .bottleConfig: writeConfig(bytes, &board)
        case .deviceSettings: writeSettings(bytes, &board)
        case .syncControl:
            isActivityMarked = true
            if let request = board.wire.value(of: bytes, as: .syncRequest, SyncRequest.self) { take(request, &board) }
        case .command: return take(command: bytes, ticket, &board)
        default: break
        }
        return false
    }

    private mutating func writeConfig(_ bytes: [UInt8], _ board: inout Board) {
        config = bytes
        guard let written = board.wire.value(of: bytes, as: .bottleConfig, BottleConfig.self),
            written.hasScaleInRange || written.isAccepted && board.quirks.shows(.takesNoNumber)
        else { return reloadConfig(board) }
        board.memory.goal = written.clampedGoal
        if var stored = board.memory.loadedCalibration {
            stored.scale = written.scale
            let empty = Double(written.tare) * Double(written.scale)
            stored.rebase(empty: Int(Int32(clampingReal: empty)))
            board.memory.calibration = stored
            if !board.quirks.shows(.shrinkingTare) { calibration = stored }
        }
        isRedrawWanted = true
        board.emit("goal", ["ml": .number(board.memory.goal)])
        board.store()
    }

    private mutating func writeSettings(_ bytes: [UInt8], _ board: inout Board) {
        isActivityMarked = true
        guard let written = board.wire.value(of: bytes, as: .deviceSettings, DeviceSettings.self) else { return }
        settings = written
        board.memory.shakeToEmpty = written.flags.shakeToEmpty
        board.store()
    }

    // MARK: Transfers

    /// Handles a request of Sync Control (section 6.1).
    private mutating func take(_ request: SyncRequest, _ board: inout Board) {
        if request.isStart {
            var size = DrinkSync.chunkSize(request.chunkSize)
            if !board.quirks.shows(.overlongChunks) { size = min(size, DrinkChunkValue.records(in: capacity)) }
            let drinks = board.memory.drinks.pending(limit: request.count)
            board.emit("sync_started", ["records": .number(drinks.count), "chunk_size": .number(size)])
            if let chunk = sync.start(drinks, chunkSize: size) {
                board.notify(.drinkData, board.wire.bytes(chunk, as: .drinkChunk))
            } else if !board.quirks.shows(.countsDeleted) {
                sync.end()
            }
        } else if request.isAcknowledgement {
            acknowledge(&board)
        } else if request.isQuery, board.quirks.shows(.queryAborts) {
            sync.end()
        }
    }

    private mutating func acknowledge(_ board: inout Board) {
        switch sync.acknowledge() {
        case nil: break
        case .chunk(let chunk)?: board.notify(.drinkData, board.wire.bytes(chunk, as: .drinkChunk))
        case .done(let drinks)?:
            if board.quirks.shows(.countsDeleted) {
                board.memory.drinks.markSynced(oldest: drinks.count)
            } else {
                let ids = Set(drinks.map(\.id))
                board.memory.drinks.markSynced { ids.contains($0.id) }
            }
            if !board.quirks.shows(.hiddenCompletion) { sync.end(.complete) }
            board.emit("sync_done", ["records": .number(drinks.count), "unsynced": .number(board.unsynced)])
            board.store()
            pushState(&board)
        }
    }
}

extension CellScale {
    /// The tare rounded to the nearest gram, so that it does not shrink when it is written back.
    var nearestTare: Int { Int(Int32(clampingReal: (Double(empty) / Double(scale)).rounded())) }
}
