/// The differences between two captures, A and B: connections paired by device and order.
package struct CaptureComparison: Sendable {
    package let a: CaptureOutline
    package let b: CaptureOutline
    package let options: ComparisonOptions
    /// In the order of A.
    package private(set) var connections: [ConnectionComparison] = []
    /// Connections without a partner.
    package private(set) var onlyA: [ConnectionOutline] = []
    package private(set) var onlyB: [ConnectionOutline] = []

    /// Throws if the user pairs a connection that a capture does not have.
    package init(
        _ a: CaptureOutline, _ b: CaptureOutline, _ options: ComparisonOptions = ComparisonOptions()
    ) throws(UnknownConnection) {
        (self.a, self.b, self.options) = (a, b, options)
        let pairs = options.pairs.isEmpty ? pairAll() : try forcedPairs()
        for (one, other) in pairs.sorted(by: { $0.a.number < $1.a.number }) {
            connections.append(ConnectionComparison(one, of: a, other, of: b, tolerance: options.tolerance))
        }
        guard options.pairs.isEmpty else { return }
        let (pairedA, pairedB) = (Set(pairs.map(\.a.number)), Set(pairs.map(\.b.number)))
        onlyA = a.connections.filter { !pairedA.contains($0.number) }
        onlyB = b.connections.filter { !pairedB.contains($0.number) }
    }

    /// Differences in all; connections without a partner are differences unless the other capture is another view.
    package var count: Int {
        connections.reduce(0) { $0 + $1.differences.count + $1.omitted } + missing(onlyA, from: b)
            + missing(onlyB, from: a)
    }

    package var differs: Bool { count > 0 }

    /// Whether there is nothing to compare.
    package var isEmpty: Bool { connections.isEmpty && onlyA.isEmpty && onlyB.isEmpty }

    /// Whether nothing can be said: there is no pair, or all that the pairs carry is encrypted.
    package var isUndecided: Bool {
        !differs
            && connections.allSatisfy { pair in
                pair.common == 0 && (pair.a.hasUnreadTraffic || pair.b.hasUnreadTraffic)
            }
    }

    /// Whether a connection without a partner is a difference: a sniffer does not hear each connection of a host.
    package func isDifference(_ connection: ConnectionOutline, missingFrom other: CaptureOutline) -> Bool {
        other.connections.isEmpty || other.connections.contains { $0.view == connection.view }
    }

    private func missing(_ connections: [ConnectionOutline], from other: CaptureOutline) -> Int {
        connections.count { isDifference($0, missingFrom: other) }
    }
}

// MARK: - Pairs

extension CaptureComparison {
    private typealias Pair = (a: ConnectionOutline, b: ConnectionOutline)

    /// The pairs that the user has named.
    private func forcedPairs() throws(UnknownConnection) -> [Pair] {
        var pairs: [Pair] = []
        for pair in options.pairs {
            guard let one = a.connections.first(where: { $0.number == pair.a }) else {
                throw UnknownConnection(number: pair.a, file: a.file, known: a.connections.map(\.number))
            }
            guard let other = b.connections.first(where: { $0.number == pair.b }) else {
                throw UnknownConnection(number: pair.b, file: b.file, known: b.connections.map(\.number))
            }
            pairs.append((one, other))
        }
        return pairs
    }

    /// Pairs the connections of each device in their order. Devices are the same by name, address or plugin; if each
    /// capture has one device left, these are taken for each other.
    private func pairAll() -> [Pair] {
        let (ofA, ofB) = (Self.grouped(a.connections), Self.grouped(b.connections))
        let (devicesA, devicesB) = (ofA.map(\.device), ofB.map(\.device))
        var partners = RunComparison.pairs(devicesA, devicesB)
        let taken = Set(partners.values)
        let (restA, restB) = (
            devicesA.indices.filter { partners[$0] == nil }, devicesB.indices.filter { !taken.contains($0) }
        )
        if restA.count == 1, restB.count == 1 { partners[restA[0]] = restB[0] }
        return partners.flatMap { one, other in
            zip(ofA[one].connections, ofB[other].connections).map { (a: $0, b: $1) }
        }
    }

    /// The connections of each device, in order.
    private static func grouped(
        _ connections: [ConnectionOutline]
    ) -> [(device: RunOutline.Device, connections: [ConnectionOutline])] {
        var groups: [(device: RunOutline.Device, connections: [ConnectionOutline])] = []
        var places: [RunOutline.Device: Int] = [:]
        for connection in connections {
            // A device has several names only if its name is read late.
            var key = connection.device
            if key.address != nil { (key.name, key.plugin) = ("", nil) }
            if let place = places[key] {
                groups[place].connections.append(connection)
                if groups[place].device.plugin == nil { groups[place].device.plugin = connection.device.plugin }
            } else {
                places[key] = groups.count
                groups.append((connection.device, [connection]))
            }
        }
        return groups
    }
}

/// A number that no connection of a capture has.
package struct UnknownConnection: Error, CustomStringConvertible {
    let number: Int
    let file: String
    let known: [Int]

    package var description: String {
        let range =
            switch (known.first, known.last) {
            case (let first?, let last?) where first < last: "it has the connections \(first) to \(last)"
            case (let first?, _): "it has the connection \(first)"
            default: "it has no connection"
            }
        return "\(file) has no connection \(number); \(range)"
    }
}
