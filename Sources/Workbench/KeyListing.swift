import Bytes
package import Captures
import Conversation
package import Keys

/// The keys that files of keys and captures hold, with the place that each comes from.
package struct KeyListing: Sendable {
    /// A key by its index in the ring, and its place: “given”, a file, or a frame of a capture.
    private struct Entry {
        var index: Int
        var source: String
    }

    private var entries: [Entry] = []
    /// The keys so far, which open what captures have.
    private var ring: KeyRing

    /// Begins with the keys that the user gives.
    package init(_ given: KeyRing) {
        ring = given
        entries = given.keys.indices.filter { !given.keys[$0].isReversed }
            .map { Entry(index: $0, source: Self.place(of: given.keys[$0])) }
    }

    /// Number of keys, without reversed candidates.
    package var count: Int { entries.count }

    /// Adds the keys of a file.
    package mutating func add(_ keys: [KnownKey]) {
        for key in keys {
            if let index = ring.add(key) { entries.append(Entry(index: index, source: Self.place(of: key))) }
        }
    }

    /// Adds the keys that a capture shows or that follow from it with the keys so far; `goesOn` is called after every
    /// batch, with the number of frames so far.
    package mutating func add(_ capture: any PacketSource, goesOn: (Int) -> Bool) async throws {
        ring.addReversedCandidates()
        let follower = CaptureTracker(Tracker(keys: ring, record: []), ApplicationTracker(.none))
        try await follower.follow(capture, goesOn: goesOn)
        for key in follower.tracker.keys.keys where !key.isReversed {
            guard let index = ring.add(key) else { continue }
            entries.append(Entry(index: index, source: "\(capture.name), \(Self.place(of: key))"))
        }
    }

    private static func place(of key: KnownKey) -> String {
        switch key.origin {
        case .given: "given"
        case .file(let name): name
        case .frame(let number, let what): "frame \(number): \(what)"
        case .pairing(let number, let method): "frame \(number): pairing, \(method)"
        }
    }

    /// What keys of a kind open.
    private static func use(of kind: KnownKey.Kind) -> String {
        switch kind {
        case .ltk: "encrypted connections"
        case .stk: "the connection of one pairing"
        case .tk, .passkey: "legacy pairings"
        case .irk: "resolvable private addresses"
        case .csrk: "nothing: it signs writes"
        case .privateKey: "pairings of LE Secure Connections"
        case .session: "one encrypted connection"
        case .broadcastCode: "encrypted broadcasts"
        case .ead: "encrypted advertising data"
        }
    }

    // MARK: - Output

    /// A table; `isShown` states whether keys are written in full.
    package func text(isShown: Bool) -> String {
        let rows = entries.map { entry in
            let key = ring.keys[entry.index]
            return [
                key.kind.rawValue, Self.value(key, isShown), key.address.map { "\($0)" } ?? "any", entry.source,
                Self.use(of: key.kind),
            ]
        }
        return TextColumns.align([["KIND", "KEY", "DEVICE", "SOURCE", "OPENS"]] + rows, indent: "")
    }

    /// The same as JSON.
    package func json(isShown: Bool) -> String {
        let keys = entries.map { entry -> JSONValue in
            let key = ring.keys[entry.index]
            return .members([
                "kind": .string(key.kind.rawValue), "key": .string(Self.value(key, isShown)),
                "device": key.address.map { .string("\($0)") },
                "ediv": key.name.map { .integer(Int($0.encryptedDiversifier)) },
                "rand": key.name.map { .string(String(hex: $0.random, digits: 16)) },
                "source": .string(entry.source), "opens": .string(Self.use(of: key.kind)),
            ])
        }
        return JSONValue.object(of: [("keys", .array(keys))]).text
    }

    /// The digits, as `--key` takes them.
    private static func value(_ key: KnownKey, _ isShown: Bool) -> String {
        let spec = KeySpec(key.value)
        let text = isShown ? spec.text : spec.maskedText
        return String(text.dropFirst(key.kind.rawValue.utf8.count + 1))
    }
}
