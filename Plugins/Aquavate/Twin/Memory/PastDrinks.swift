/// A plausible history of drinks and refills in the last days: a drink needs water, and only a refill adds water.
struct PastDrinks {
    /// A drink, or a refill with a negative amount; in ml, with the level after it.
    struct Event: Hashable {
        var amount: Int
        var level: Int
    }

    /// Whether refills are recorded (dialect `prd`).
    private let recordsRefills: Bool
    /// Level of a full bottle, as the puck measures it.
    private let full: Int

    /// Amounts of drinks, in ml.
    private static let drinks = 30...250
    /// Least refill, in ml: the shipped firmware does not detect a smaller one.
    private static let refill = 100
    /// The probability of a refill before the bottle is too empty for another drink.
    private static let earlyRefill = 0.15

    /// - Parameter full: the level of a full bottle, as the puck measures it.
    init(recordsRefills: Bool, full: Int) {
        self.recordsRefills = recordsRefills
        self.full = full
    }

    /// Events, oldest first; the last one leaves the bottle at its current level.
    ///
    /// - Parameters:
    ///   - level: the current level.
    ///   - former: the level after the previous record; nil for none.
    func events(_ count: Int, endingAt level: Int, after former: Int?, _ chance: inout Chance) -> [Event] {
        var events: [Event] = []
        var level = level
        for rest in stride(from: count - 1, through: 0, by: -1) {
            let isOldest = rest == 0
            let event: Event
            if recordsRefills, isOldest, let former {
                event = first(endingAt: level, after: former)
            } else if recordsRefills, isRefilled(level, &chance) {
                // The level before the refill is not negative.
                event = Event(amount: -chance.number(in: Self.refill...max(Self.refill, level)), level: level)
            } else {
                if !recordsRefills, isRefilled(level, &chance) { level = chance.number(in: 0...level - Self.refill) }
                let most = min(Self.drinks.upperBound, full - level)
                event = Event(amount: chance.number(in: Self.drinks.lowerBound...most), level: level)
            }
            level += event.amount
            events.append(event)
        }
        return events.reversed()
    }

    /// Whether a refill led to this level; otherwise a drink did.
    private func isRefilled(_ level: Int, _ chance: inout Chance) -> Bool {
        let isTooFull = level > full - Self.drinks.lowerBound
        let isEarly = chance.happens(Self.earlyRefill)
        return isTooFull || isEarly && level >= 2 * Self.refill
    }

    /// The first event after a record: a drink, or a refill of a bottle that may have been shaken empty since.
    private func first(endingAt level: Int, after former: Int) -> Event {
        let amount = min(max(former - level, -full), full)
        return Event(amount: amount >= Self.drinks.lowerBound ? amount : min(amount, -Self.refill), level: level)
    }
}

extension Board {
    /// Stores past drinks two hours apart, or closer to fit in after the last one.
    mutating func remember(_ count: Int) {
        let last = memory.drinks.drinks.last
        let spacing = min(2 * 3600, max(0, time - (last?.timestamp ?? 0)) / (count + 1))
        let level = levelOfBaseline
        let past = PastDrinks(recordsRefills: identity.dialect == .prd, full: max(level, CellScale.capacity))
        let events = past.events(count, endingAt: level, after: last?.level, &surroundings.chance)
        for (age, event) in zip(stride(from: count, to: 0, by: -1), events) {
            memory.drinks.store(
                timestamp: memory.isTimeValid ? Self.field(time - age * spacing) : 0, amount: event.amount,
                level: event.level)
        }
        store()
    }

    /// The level from which the next drink is measured, in ml; without a baseline, that of the bottle.
    private var levelOfBaseline: Int {
        let level =
            switch identity.dialect {
            case _ where baseline == 0: surroundings.water
            case .shipped: (memory.loadedCalibration ?? .usual).level(baseline)
            case .prd: requiredLevel(baseline)
            }
        return min(max(Int(clampingReal: level), 0), Self.highestLevel)
    }

    /// Highest plausible level of a bottle, in ml.
    private static let highestLevel = 1000
}
