import Bytes
package import Captures
import Conversation
package import Keys

/// The keys that files of keys and captures hold, with the place that each comes from.
package struct KeyListing: Sendable {
    /// A key and its place: “given”, a file, or a frame of a capture.
    private struct Entry {
        var key: KnownKey
        var source: String
    }

    private var entries: [Entry] = []
    /// The keys so far, which open what captures have.
    private var ring: KeyRing

    /// Begins with the keys that the user gives.
    package init(_ given: KeyRing) {
        ring = given
        entries = given.keys.map { Entry(key: $0, source: Self.place(of: $0)) }
    }

    /// Number of keys, without reversed candidates.
    package var count: Int { entries.count { !$0.key.isReversed } }

    /// Adds the keys of a file.
    package mutating func add(_ keys: [KnownKey]) {
        for key in keys where ring.add(key) != nil { entries.append(Entry(key: key, source: Self.place(of: key))) }
    }

    /// Adds the keys that a capture shows or that follow from it with the keys so far; `goesOn` is called after every
    /// batch, with the number of frames so far.
    package mutating func add(_ capture: any PacketSource, goesOn: (Int) -> Bool) async throws {
        ring.addReversedCandidates()
        let follower = CaptureTracker(Tracker(keys: ring, record: []), ApplicationTracker(.none))
        try await follower.follow(capture, goesOn: goesOn)
        for key in follower.tracker.keys.keys where ring.add(key) != nil {
            entries.append(Entry(key: key, source: "\(capture.name), \(Self.place(of: key))"))
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

    private var shown: [Entry] { entries.filter { !$0.key.isReversed } }

    /// A table; `isShown` states whether keys are written in full.
    package func text(isShown: Bool) -> String {
        let rows = shown.map { entry in
            [
                entry.key.kind.rawValue, Self.value(entry.key, isShown),
                entry.key.address.map { "\($0)" } ?? "any", entry.source, Self.use(of: entry.key.kind),
            ]
        }
        return TextColumns.align([["KIND", "KEY", "DEVICE", "SOURCE", "OPENS"]] + rows, indent: "")
    }

    /// The same as JSON.
    package func json(isShown: Bool) -> String {
        let keys = shown.map { entry -> JSONValue in
            let name = entry.key.name
            return .members([
                "kind": .string(entry.key.kind.rawValue), "key": .string(Self.value(entry.key, isShown)),
                "device": entry.key.address.map { .string("\($0)") },
                "ediv": name.map { .integer(Int($0.encryptedDiversifier)) },
                "rand": name.map { .string(String(hex: $0.random, digits: 16)) },
                "source": .string(entry.source), "opens": .string(Self.use(of: entry.key.kind)),
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
