package import Bluetooth

/// The keys that a capture is read with: those that were given, and those found on the way.
package struct KeyRing: Sendable {
    /// In the order in which they were added; indices stay valid.
    package private(set) var keys: [KnownKey] = []
    private var known: [KnownKey.Value: Int] = [:]
    /// Whether all 1,000,000 passkeys are tried where a Temporary Key of legacy pairing is wanted.
    package var isCracking = false

    /// Keys that are kept; a capture that distributes more, with a bond for each packet, costs no more memory.
    package static let limit = 4096

    package init(_ keys: [KnownKey] = []) {
        for key in keys { _ = add(key) }
    }

    package var isEmpty: Bool { keys.isEmpty }

    /// Adds a key unless it is known with the same value; returns its index, or nil for one that was not added. A known
    /// key gets the address and the name that it lacks; a reversed candidate with the same value gives its place to the
    /// key.
    package mutating func add(_ key: KnownKey) -> Int? {
        if let index = known[key.value] {
            if keys[index].isReversed, !key.isReversed {
                keys[index] = key
                return index
            }
            keys[index].address = keys[index].address ?? key.address
            keys[index].name = keys[index].name ?? key.name
            return nil
        }
        guard keys.count < Self.limit else { return nil }
        known[key.value] = keys.count
        keys.append(key)
        return keys.count - 1
    }

    /// Adds each key that was given or read from a file with its bytes reversed, to be tried last: people and programs
    /// write keys in both orders. Keys that open packets themselves are left out: decryption reverses those once no other
    /// key fits. Call this after all such keys are added.
    package mutating func addReversedCandidates() {
        for key in keys where !key.isReversed && [.tk, .privateKey, .irk].contains(key.kind) {
            switch key.origin {
            case .frame, .pairing: continue
            case .given, .file: break
            }
            guard let value = key.value.reversed else { continue }
            var candidate = key
            (candidate.value, candidate.isReversed) = (value, true)
            _ = add(candidate)
        }
    }

    /// Indices of the keys from which a session between two devices may be derived, the likeliest first: the one that
    /// LL_ENC_REQ names by EDIV and Rand, those of either device, those of any device.
    ///
    /// - Parameter name: EDIV and Rand of LL_ENC_REQ.
    package func sessionKeys(between one: Address?, _ other: Address?, name: KnownKey.LegacyName?) -> [Int] {
        func rank(_ key: KnownKey) -> Int {
            if let own = key.name { return own == name ? 0 : 9 }
            guard let address = key.address else { return 2 }
            return address == one || address == other ? 1 : 4
        }
        return keys.indices.filter { [.ltk, .stk].contains(keys[$0].kind) }
            .map { (rank: rank(keys[$0]), index: $0) }.sorted { ($0.rank, -$0.index) < ($1.rank, -$1.index) }
            .map(\.index)
    }
}
