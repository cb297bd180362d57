/// Log of wake-ups and backpack sessions (section 8.1). It survives deep sleep, but not a loss of power.
struct ActivityLog: Hashable, Sendable {
    /// An awake time.
    struct Event: Hashable, Sendable {
        /// Wake-up time, in seconds of the puck's local epoch.
        var timestamp: Int
        /// Seconds awake.
        var duration: Int
        var reason: WakeReason
        var isExtended: Bool
        var hasDrink: Bool
    }

    /// A time in backpack mode.
    struct Session: Hashable, Sendable {
        /// Seconds of the puck's local epoch.
        var start: Int
        /// Seconds.
        var duration: Int
        var timerWakes: Int
    }

    private(set) var events: [Event] = []
    private(set) var sessions: [Session] = []
    /// Start of the open session, in seconds of the puck's local epoch.
    private(set) var openSince: Int?
    private(set) var timerWakes = 0

    /// Maximum numbers of events and sessions.
    static let eventLimit = 100
    static let sessionLimit = 20

    /// Adds an event as the puck goes to sleep.
    mutating func append(_ event: Event) {
        if events.count == Self.eventLimit { events.removeFirst() }
        events.append(event)
    }

    /// Opens a session as the puck goes to sleep in backpack mode.
    mutating func open(at time: Int) {
        guard openSince == nil else { return }
        openSince = time
        timerWakes = 0
    }

    /// Closes the open session as the user wakes the puck.
    mutating func close(at time: Int) {
        guard let start = openSince else { return }
        if sessions.count == Self.sessionLimit { sessions.removeFirst() }
        sessions.append(Session(start: start, duration: max(time - start, 0), timerWakes: timerWakes))
        openSince = nil
        timerWakes = 0
    }

    /// Adds past awake times, one each hour before `time`. Each fifth of them leads to a time in backpack mode.
    mutating func recall(_ count: Int, before time: Int) {
        let (hour, awake) = (3600, 40)
        for index in 0..<count {
            let begin = max(0, time - (count - index) * hour)
            let isExtended = index % 5 == 3
            append(
                Event(timestamp: begin, duration: awake, reason: .motion, isExtended: isExtended, hasDrink: false))
            guard isExtended else { continue }
            open(at: begin + awake)
            close(at: begin + hour)
        }
    }

    /// Adopts observed numbers of events and sessions, with unknown content.
    mutating func follow(events: Int, sessions: Int) {
        let event = Event(timestamp: 0, duration: 0, reason: .motion, isExtended: false, hasDrink: false)
        self.events = Array(repeating: event, count: min(events, Self.eventLimit))
        self.sessions = Array(
            repeating: Session(start: 0, duration: 0, timerWakes: 0), count: min(sessions, Self.sessionLimit))
    }

    mutating func countTimerWake() { timerWakes = (timerWakes + 1) & 0xFFFF }
}

/// Cause of a wake-up in wake events.
typealias WakeReason = DeviceProfile.WakeEvent.WakeReason

// MARK: - On the wire

extension ActivityLog {
    func summary(isTimeValid: Bool) -> ActivitySummary {
        ActivitySummary(
            motionCount: events.count, backpackCount: sessions.count, inBackpack: openSince != nil,
            flags: .init(timeValid: isTimeValid), sessionStart: openSince ?? 0, timerWakes: timerWakes)
    }

    /// A chunk of events, oldest first; nil if there is none with this index.
    func motionChunk(_ index: Int) -> MotionChunk? {
        guard let part = Self.part(index, of: events, MotionChunk.self) else { return nil }
        return MotionChunk(
            chunkIndex: index, totalChunks: MotionChunk.chunks(of: events.count), eventCount: part.count,
            events: part.map {
                DeviceProfile.WakeEvent(
                    timestamp: $0.timestamp, duration: $0.duration & 0xFFFF, wakeReason: $0.reason,
                    sleep: .init(sleepType: $0.isExtended ? .extended : .normal, drinkTaken: $0.hasDrink))
            })
    }

    /// A chunk of sessions, oldest first; nil if there is none with this index.
    func backpackChunk(_ index: Int) -> BackpackChunk? {
        guard let part = Self.part(index, of: sessions, BackpackChunk.self) else { return nil }
        return BackpackChunk(
            chunkIndex: index, totalChunks: BackpackChunk.chunks(of: sessions.count), sessionCount: part.count,
            sessions: part.map {
                DeviceProfile.BackpackSession(
                    start: $0.start, duration: $0.duration, timerWakes: $0.timerWakes, exitReason: .motionDetected)
            })
    }

    private static func part<Entry, Chunk: ActivityChunk>(
        _ index: Int, of entries: [Entry], _: Chunk.Type
    ) -> ArraySlice<Entry>? {
        guard (0..<Chunk.chunks(of: entries.count)).contains(index) else { return nil }
        return entries.dropFirst(index * Chunk.capacity).prefix(Chunk.capacity)
    }
}
