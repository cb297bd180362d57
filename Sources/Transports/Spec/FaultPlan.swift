/// Faults to inject into the packets of a link.
package struct FaultPlan: Hashable, Sendable {
    /// Packets affected by faults.
    package enum Target: String, Hashable, Sendable {
        /// Packets sent by this program.
        case sent
        /// Received packets.
        case received
        case both
    }

    /// A pause of the link: its start, relative to the opening of the link, and its duration, in nanoseconds.
    package struct Stall: Hashable, Sendable {
        package var time: Int64
        package var duration: Int64

        package init(time: Int64, duration: Int64) {
            self.time = time
            self.duration = duration
        }
    }

    /// Fraction of packets to drop, 0 to 1; the other fractions have the same range.
    package var drop = 0.0
    package var duplicate = 0.0
    /// Fraction of packets to swap with the next one.
    package var reorder = 0.0
    /// Fraction of packets in which to flip one bit after the header.
    package var corrupt = 0.0
    /// Fraction of packets to truncate; the length in their header is adjusted.
    package var truncate = 0.0
    /// Delay of every packet, in nanoseconds.
    package var delay: Int64 = 0
    /// Time until the link is broken, in nanoseconds; nil for never.
    package var disconnect: Int64?
    /// Period in which packets are held back, then delivered at once.
    package var stall: Stall?
    package var target = Target.both
    package var seed: UInt64 = 1

    package init() {}

    /// An error in a fault specification.
    struct Fault: Error {
        var text: String
        /// Whether the error is in the kind rather than its value.
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

    /// Parses `20ms`, `3s` or `2m` to nanoseconds, in whole microseconds; at most one day.
    private static func span(_ text: String) throws(Fault) -> Int64 {
        for (unit, size) in [("ms", 1e6), ("us", 1e3), ("s", 1e9), ("m", 60e9)] where text.hasSuffix(unit) {
            guard let number = Double(text.dropLast(unit.count)), number >= 0, number * size <= 86_400e9 else { break }
            return Int64(number * size / 1000) * 1000
        }
        throw Fault(text: "expected a time, as 20ms, 3s or 2m")
    }
}

extension FaultPlan: CustomStringConvertible {
    /// Command line syntax.
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
