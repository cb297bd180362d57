/// What harm is done to the packets of a link, and when.
package struct FaultPlan: Hashable, Sendable {
    /// Which packets harm is done to.
    package enum Target: String, Hashable, Sendable {
        /// Those that this program sends.
        case sent
        /// Those that come in.
        case received
        case both
    }

    /// A pause of the link: its start since the link was opened, and its duration, in nanoseconds.
    package struct Stall: Hashable, Sendable {
        package var time: Int64
        package var duration: Int64

        package init(time: Int64, duration: Int64) {
            self.time = time
            self.duration = duration
        }
    }

    /// Part of the packets that get lost, 0 to 1; as the others.
    package var drop = 0.0
    package var duplicate = 0.0
    /// Part of the packets that the next one overtakes.
    package var reorder = 0.0
    /// Part of the packets of which one bit is turned over, behind their header.
    package var corrupt = 0.0
    /// Part of the packets that lose their end; the length in their header tells so.
    package var truncate = 0.0
    /// By how much every packet comes late, in nanoseconds.
    package var delay: Int64 = 0
    /// After what time the link breaks, in nanoseconds; nil for never.
    package var disconnect: Int64?
    /// When nothing passes, until it all comes at once.
    package var stall: Stall?
    package var target = Target.both
    package var seed: UInt64 = 1

    package init() {}

    /// What is wrong with a fault that was asked for.
    struct Fault: Error {
        var text: String
        /// Whether the kind is wrong, and not its value.
        var isAboutKind = false
    }

    static let help =
        "drop=5%, duplicate=5%, reorder=5%, corrupt=5%, truncate=5%, delay=20ms, disconnect=3s, stall=2s+500ms, "
        + "only=sent or only=received, seed=1"

    /// Sets a fault by its name on the command line.
    mutating func set(_ kind: String, _ value: String) throws(Fault) {
        switch kind {
        case "drop": drop = try Self.part(value)
        case "duplicate": duplicate = try Self.part(value)
        case "reorder": reorder = try Self.part(value)
        case "corrupt": corrupt = try Self.part(value)
        case "truncate": truncate = try Self.part(value)
        case "delay": delay = try Self.span(value)
        case "disconnect": disconnect = try Self.span(value)
        case "stall":
            let parts = value.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw Fault(text: "expected TIME+DURATION, as stall=2s+500ms") }
            stall = Stall(time: try Self.span(parts[0]), duration: try Self.span(parts[1]))
        case "only":
            guard let target = Target(rawValue: value), target != .both else {
                throw Fault(text: "expected only=sent or only=received")
            }
            self.target = target
        case "seed":
            guard let seed = UInt64(value) else { throw Fault(text: "expected a number that is not negative") }
            self.seed = seed
        default: throw Fault(text: "unknown fault “\(kind)”; there are \(Self.help)", isAboutKind: true)
        }
    }

    /// `5%` or `0.05`.
    private static func part(_ text: String) throws(Fault) -> Double {
        let isPercent = text.hasSuffix("%")
        guard let number = Double(isPercent ? String(text.dropLast()) : text),
            (0...(isPercent ? 100 : 1)).contains(number)
        else { throw Fault(text: "expected a part of all packets, as 5% or 0.05") }
        return isPercent ? number / 100 : number
    }

    /// `20ms`, `3s` or `2m`, in nanoseconds, of which only whole microseconds count; a day at most.
    private static func span(_ text: String) throws(Fault) -> Int64 {
        for (unit, size) in [("ms", 1e6), ("us", 1e3), ("s", 1e9), ("m", 60e9)] where text.hasSuffix(unit) {
            guard let number = Double(text.dropLast(unit.count)), number >= 0, number * size <= 86_400e9 else { break }
            return Int64(number * size / 1000) * 1000
        }
        throw Fault(text: "expected a time, as 20ms, 3s or 2m")
    }
}

extension FaultPlan: CustomStringConvertible {
    /// As it is written on the command line.
    package var description: String {
        var parts: [String] = []
        for (name, value) in [
            ("drop", drop), ("duplicate", duplicate), ("reorder", reorder), ("corrupt", corrupt),
            ("truncate", truncate),
        ] where value > 0 {
            parts.append("\(name)=\(value)")
        }
        if delay > 0 { parts.append("delay=\(Self.text(delay))") }
        if let disconnect { parts.append("disconnect=\(Self.text(disconnect))") }
        if let stall { parts.append("stall=\(Self.text(stall.time))+\(Self.text(stall.duration))") }
        if target != .both { parts.append("only=\(target.rawValue)") }
        return (parts + ["seed=\(seed)"]).joined(separator: ",")
    }

    private static func text(_ span: Int64) -> String {
        span.isMultiple(of: 1_000_000) ? "\(span / 1_000_000)ms" : "\(span / 1000)us"
    }
}
