import Bluetooth
import Profile

/// The rules interested in each kind of event, as indices.
public struct InterestIndex: Sendable {
    /// By kind: ATT opcodes, the kinds of `Kind`, then the values of each characteristic that is named by a rule.
    private var places: [[Int]]
    /// Rules interested in all values.
    private var allValues: [Int] = []

    /// Kinds of events, after the ATT opcodes.
    fileprivate enum Kind: Int, CaseIterable {
        case connections = 256
        case link
        case advertising
        case smp
        case signals
        case channels
        case bearers
        case commands
        case events
        case control
        case advertisedContent
        case requests
        case table
        case subscriptions
        case messages

        /// Index of the first characteristic.
        static let count = 256 + allCases.count
    }

    /// Creates the index from the interests of each rule.
    public init(_ interests: [Set<RuleInterest>]) {
        let named = interests.joined().map { interest in
            if case .values(let characteristic) = interest { characteristic.rawValue + 1 } else { 0 }
        }
        places = Array(repeating: [], count: Kind.count + (named.max() ?? 0))
        for (place, wanted) in interests.enumerated() {
            for index in Set(wanted.flatMap { indices(of: $0) }).sorted() { places[index].append(place) }
            if wanted.contains(.allValues) { allValues.append(place) }
        }
    }

    /// The rules interested in a kind of event; for `allATT`, any one of the opcodes.
    public subscript(interest: RuleInterest) -> [Int] {
        switch interest {
        case .values(let characteristic):
            let index = Kind.count + characteristic.rawValue
            return index < places.count ? places[index] : allValues
        case .allValues: return allValues
        case .allATT: return places[..<256].first { !$0.isEmpty } ?? []
        default: return places[indices(of: interest).lowerBound]
        }
    }

    /// The rules interested in an event.
    public func places(for event: Event) -> [Int] { event.kind < places.count ? places[event.kind] : allValues }

    /// Indices in `places`.
    private func indices(of interest: RuleInterest) -> Range<Int> {
        func one(_ kind: Kind) -> Range<Int> { kind.rawValue..<kind.rawValue + 1 }
        return switch interest {
        case .connections: one(.connections)
        case .link: one(.link)
        case .advertising: one(.advertising)
        case .att(let opcode): Int(opcode.rawValue)..<Int(opcode.rawValue) + 1
        case .allATT: 0..<256
        case .smp: one(.smp)
        case .signals: one(.signals)
        case .channels: one(.channels)
        case .bearers: one(.bearers)
        case .commands: one(.commands)
        case .events: one(.events)
        case .control: one(.control)
        case .advertisedContent: one(.advertisedContent)
        case .requests: one(.requests)
        case .table: one(.table)
        case .subscriptions: one(.subscriptions)
        case .values(let characteristic):
            Kind.count + characteristic.rawValue..<Kind.count + characteristic.rawValue + 1
        case .allValues: Kind.count..<places.count
        case .messages: one(.messages)
        }
    }
}

extension Event.Content {
    /// Index of the kind among the lists of an `InterestIndex`.
    var kind: Int {
        let kind: InterestIndex.Kind
        switch self {
        case .att(let att): return Int(att.opcode.rawValue)
        case .value(let value): return InterestIndex.Kind.count + value.characteristic.rawValue
        case .opened, .closed, .gap: kind = .connections
        case .parameters, .encryption, .security: kind = .link
        case .smp: kind = .smp
        case .signal: kind = .signals
        case .channel: kind = .channels
        case .bearerClosed: kind = .bearers
        case .command: kind = .commands
        case .event: kind = .events
        case .control: kind = .control
        case .advertised, .deviceName: kind = .advertising
        case .advertisedContent: kind = .advertisedContent
        case .mtu, .request, .response: kind = .requests
        case .table: kind = .table
        case .configuration, .subscription: kind = .subscriptions
        case .message: kind = .messages
        }
        return kind.rawValue
    }
}
