public import Bytes

/// An estimate of a device's energy use: the time in each power state, at the state's current.
public struct EnergyUse: Hashable, Sendable {
    /// A power state and the time spent in it.
    public struct State: Hashable, Sendable {
        public var name: String
        public var milliamperes: Double
        public var seconds: Double

        public init(_ name: String, milliamperes: Double, seconds: Double) {
            self.name = name
            self.milliamperes = milliamperes
            self.seconds = seconds
        }

        /// Charge in mAh.
        public var charge: Double { milliamperes * seconds / 3600 }
    }

    public var states: [State]
    /// Capacities of the device's possible batteries, in mAh.
    public var capacities: [Double]
    /// Remarks on parts of the estimate, one sentence each.
    public var remarks: [String]

    public init(_ states: [State], capacities: [Double], remarks: [String] = []) {
        self.states = states
        self.capacities = capacities
        self.remarks = remarks
    }

    public var seconds: Double { states.reduce(0) { $0 + $1.seconds } }
    /// Charge in mAh.
    public var charge: Double { states.reduce(0) { $0 + $1.charge } }
    /// Charge per day in mAh; nil if no time has passed.
    public var chargePerDay: Double? { seconds > 0 ? charge / seconds * 86_400 : nil }

    /// Battery life in days, with an additional constant current `further`, in mA; nil if the total current is zero.
    public func days(of capacity: Double, with further: Double = 0) -> Double? {
        chargePerDay.flatMap { $0 + further * 24 > 0 ? capacity / ($0 + further * 24) : nil }
    }

    public var text: String {
        guard let chargePerDay else { return "Energy: no time has passed\n" }
        var lines = [
            "Energy (estimate): \(charge.text(fixed: 2)) mAh in \(Self.span(seconds)), "
                + "\(chargePerDay.text(fixed: 1)) mAh a day"
        ]
        let width = states.map(\.name.count).max() ?? 0
        for state in states {
            let name = state.name + String(repeating: " ", count: width - state.name.count)
            let cells = [
                "\(state.milliamperes.text(fixed: 1)) mA", Self.span(state.seconds),
                "\(state.charge.text(fixed: 2)) mAh",
            ]
            let padded = zip(cells, [9, 18, 12]).map { String(repeating: " ", count: max(1, $1 - $0.count)) + $0 }
            lines.append("  \(name)\(padded.joined())")
        }
        let lives = capacities.map { "\($0.text(fixed: 0)) mAh last \((days(of: $0) ?? 0).text(fixed: 0)) days" }
        lines.append("  " + lives.joined(separator: ", "))
        return (lines + remarks.map { "  \($0)" }).joined(separator: "\n") + "\n"
    }

    public var json: JSONValue {
        func number(_ value: Double?) -> JSONValue? { value.map { .number(($0 * 1000).rounded() / 1000) } }
        return .members([
            "estimated": .boolean(true), "duration_s": number(seconds), "mAh": number(charge),
            "mAh_per_day": number(chargePerDay),
            "states": .array(
                states.map { state in
                    .members([
                        "state": .string(state.name), "mA": number(state.milliamperes),
                        "seconds": number(state.seconds),
                        "mAh": number(state.charge),
                    ])
                }),
            "batteries": .array(
                capacities.map { .members(["capacity_mAh": number($0), "days": number(days(of: $0))]) }),
            "remarks": .array(remarks.map { .string($0) }),
        ])
    }

    /// `2 d 3 h 4 min`, `45.0 s`.
    private static func span(_ seconds: Double) -> String {
        guard seconds >= 60 else { return "\(seconds.text(fixed: 1)) s" }
        let minutes = Int64(min(seconds / 60, 1e12).rounded())
        let parts = [(minutes / 1440, "d"), (minutes / 60 % 24, "h"), (minutes % 60, "min")]
        return parts.filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: " ")
    }
}
