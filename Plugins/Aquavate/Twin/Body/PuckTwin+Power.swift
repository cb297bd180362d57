import Bytes
import PluginKit

/// Boot, sleep and waking up (sections 10.1 and 10.2).
extension PuckTwin {
    /// Handles power-up, also after a loss of power.
    mutating func powerUp() {
        silence()
        board.powerUp(at: board.now)
        boot(.powerOn)
    }

    mutating func wakeUp(_ wake: Wake) {
        if !wake.isTimer { board.activity.close(at: Board.field(board.time)) }
        if wake == .doubleTap { board.show(.waking) }
        boot(wake)
    }

    private mutating func boot(_ wake: Wake) {
        lastWake = wake
        if wake.isTimer { board.powerUse.wakeByTimer() }
        power = .booting(wake, until: board.now + Board.bootTime)
    }

    mutating func wakeByTimer(from sleep: Sleep) {
        switch sleep {
        case .lockout: wakeUp(.lockoutCheck)
        case .normal where isJustAfterMidnight: wakeUp(.rollover)
        case .normal, .backpack: wakeUp(.healthCheck)
        }
    }

    private var isJustAfterMidnight: Bool { board.time - board.dayStart <= 600 }

    mutating func endBoot(_ wake: Wake) {
        if board.quirks.shows(.clockChipKeepsTime) { board.readClockChip() }
        let needed = Program.leastCharge(after: wake, board.memory)
        if board.surroundings.battery.percent < needed { return fallAsleep(.lockout) }
        if wake == .rollover { return rollOver() }
        if wake == .healthCheck, board.activity.openSince != nil { board.activity.countTimerWake() }
        power = .awake
        board.emit("awake", ["reason": .text(wake.rawValue)])
        firmware = Program(wake, &board)
    }

    /// Wakes up for a moment to show a new day.
    private mutating func rollOver() {
        if board.quirks.shows(.countsRollovers) || board.activity.openSince != nil { board.activity.countTimerWake() }
        board.emit("day_begins")
        Program.showNewDay(&board)
        sleep(.normal)
    }

    /// Goes to sleep: the firmware requests it, or cannot start.
    mutating func fallAsleep(_ kind: Sleep) {
        if let firmware, kind != .lockout {
            board.activity.append(firmware.event(isExtended: kind == .backpack, board))
            if kind == .backpack { board.activity.open(at: Board.field(board.time)) }
        }
        silence()
        if kind == .backpack, board.display != .backpack { board.show(.backpack) }
        board.emit("asleep", ["kind": .text(kind.rawValue)])
        sleep(kind)
    }

    private mutating func silence() {
        if firmware != nil { board.act(.fallSilent) }
        firmware = nil
    }

    private mutating func sleep(_ kind: Sleep) {
        var length = kind == .lockout ? Program.lockoutPause : Sleep.limit
        if kind == .normal, board.memory.isTimeValid {
            let toMidnight = Duration.seconds(board.dayStart + 86_400 - board.time)
            length = min(length, toMidnight + Program.rolloverDelay)
        }
        power = .asleep(kind, until: board.now + length)
    }
}
