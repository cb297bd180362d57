public import Profile

/// The rules interested in each kind of event, as indices.
public struct InterestIndex: Sendable {
    /// Rules that handle openings, closings and gaps: all rules.
    public let all: [Int]
    public private(set) var link: [Int] = []
    public private(set) var advertising: [Int] = []
    public private(set) var advertisedContent: [Int] = []
    public private(set) var requests: [Int] = []
    public private(set) var table: [Int] = []
    public private(set) var subscriptions: [Int] = []
    public private(set) var messages: [Int] = []
    /// Rules interested in all values, and rules interested in the values of each characteristic that is named by a
    /// rule.
    private var allValues: [Int] = []
    private var values: [[Int]] = []

    /// Creates the index from the interests of each rule.
    public init(_ interests: [Set<RuleInterest>]) {
        all = Array(interests.indices)
        let named = interests.joined().map { interest in
            if case .values(let characteristic) = interest { characteristic.rawValue + 1 } else { 0 }
        }
        values = Array(repeating: [], count: named.max() ?? 0)
        for (place, wanted) in interests.enumerated() {
            if wanted.contains(.link) { link.append(place) }
            if wanted.contains(.advertising) { advertising.append(place) }
            if wanted.contains(.advertisedContent) { advertisedContent.append(place) }
            if wanted.contains(.requests) { requests.append(place) }
            if wanted.contains(.table) { table.append(place) }
            if wanted.contains(.subscriptions) { subscriptions.append(place) }
            if wanted.contains(.messages) { messages.append(place) }
            let wantsAll = wanted.contains(.allValues)
            if wantsAll { allValues.append(place) }
            for number in values.indices
            where wantsAll || wanted.contains(.values(of: CharacteristicIndex(number))) {
                values[number].append(place)
            }
        }
    }

    /// The rules interested in the values of a characteristic.
    public func values(of characteristic: CharacteristicIndex) -> [Int] {
        let number = characteristic.rawValue
        return values.indices.contains(number) ? values[number] : allValues
    }

    /// The rules interested in an event.
    public func wanting(_ content: borrowing Event.Content) -> [Int] {
        switch content {
        case .opened, .closed, .gap: all
        case .parameters, .encryption, .security: link
        case .advertised, .deviceName: advertising
        case .advertisedContent: advertisedContent
        case .mtu, .request, .response: requests
        case .table: table
        case .configuration, .subscription: subscriptions
        case .value(let value): values(of: value.characteristic)
        case .message: messages
        }
    }
}
