import Captures
package import PluginKit

/// Makes a recording incomplete: recorders start late and stop early, and sniffers miss packets.
package struct Imperfection: Sendable, CustomStringConvertible {
    package let description: String
    private let isOnAir: Bool
    private let keeps: @Sendable (_ packet: Int, _ count: Int) -> Bool

    /// The recording begins after this part of the session.
    package static func late(percent: Int, onAir: Bool = false) -> Imperfection {
        Imperfection(description: "begins after \(percent) %", isOnAir: onAir) { $0 * 100 >= $1 * percent }
    }

    /// The recording ends after this part of the session.
    package static func short(percent: Int, onAir: Bool = false) -> Imperfection {
        Imperfection(description: "ends after \(percent) %", isOnAir: onAir) { $0 * 100 < $1 * percent }
    }

    /// A sniffer misses every n-th packet, beginning with `first`.
    package static func loses(every period: Int, from first: Int) -> Imperfection {
        Imperfection(description: "loses every \(period) from \(first)", isOnAir: true) { packet, _ in
            packet < first || (packet - first) % period != 0
        }
    }

    /// A sniffer misses one packet.
    package static func loses(_ place: Int) -> Imperfection {
        Imperfection(description: "loses packet \(place)", isOnAir: true) { packet, _ in packet != place }
    }

    /// A selection of each kind.
    package static let some: [Imperfection] =
        [15, 40, 60, 80].flatMap { [late(percent: $0), late(percent: $0, onAir: true)] }
        + [30, 55, 75, 90].flatMap { [short(percent: $0), short(percent: $0, onAir: true)] }
        + [(5, 9), (7, 12), (7, 15), (11, 20), (13, 30)].map { loses(every: $0.0, from: $0.1) }

    /// The incomplete recording of an HCI recording.
    package func applied(to session: Recording) -> Recording {
        let whole = isOnAir ? AirReplay.recording(of: session) : session
        let rest = Recording(whole.kind)
        rest.packets = whole.packets.enumerated().filter { keeps($0.offset, whole.packets.count) }.map(\.element)
        return rest
    }
}

extension RulePair {
    /// False positives: rules of severity error that fail for the conforming session only because the recording is
    /// incomplete, each with its findings.
    package func accusations(for imperfection: Imperfection, _ plugins: [DevicePlugin]) -> String? {
        let checked = CheckedCapture(imperfection.applied(to: make(false).recording), plugins: plugins)
        let accused = checked.broken.subtracting(besides)
        return accused.isEmpty ? nil : "\(imperfection): \(checked.text(of: accused))"
    }
}
