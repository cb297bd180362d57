import Bytes

/// The timers after which a puck sleeps (section 10.3).
extension ShippedFirmware {
    /// Seconds that it stays awake with drinks that came in this awake time.
    private static let timeoutWithDrinks = 240

    /// What the Bluetooth task has marked counts from now on.
    mutating func takeActivity(_ now: Timestamp) {
        guard isActivityMarked else { return }
        isActivityMarked = false
        lastActivity = now
        lastStable = now
    }

    /// The sleep that is due.
    mutating func sleepIfDue(_ board: inout Board) -> Sleep? {
        defer { isDoubleTapped = false }
        guard !isInCalibrationMode, !procedure.isActive else { return nil }
        if isDoubleTapped, hasStoodStill { return .backpack }
        let now = board.now
        if now - lastStable >= .seconds(board.memory.extendedThreshold) { return .backpack }
        guard board.memory.sleepTimeout > 0 else { return nil }
        let timeout = board.unsynced > unsyncedAtWake ? Self.timeoutWithDrinks : board.memory.sleepTimeout
        guard now - lastActivity >= .seconds(timeout) else { return nil }
        if gesture == .uprightStable { return .normal }
        lastActivity = now
        return nil
    }

    /// This awake time, as it goes into the log.
    func event(isExtended: Bool, _ board: Board) -> ActivityLog.Event {
        ActivityLog.Event(
            timestamp: beganTime, duration: Int((board.now - began).components.seconds), reason: wake.reason,
            isExtended: isExtended, hasDrink: hasStoredDrink)
    }
}
