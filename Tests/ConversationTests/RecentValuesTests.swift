import Bytes
import Testing

@testable import Conversation

/// A cache may forget a key, but it never returns another key's value.
@Test func aKeyHasItsOwnValueOrNone() {
    var random = SplitMix64(seed: 64)
    var cache = RecentValues<Int>(places: 16)
    var stored: [UInt64: Int] = [:]
    var found = 0
    for value in 0..<2000 {
        let key = UInt64.random(in: 0..<40, using: &random) | UInt64.random(in: 0..<3, using: &random) << 16
        cache[key] = value % 7 == 0 ? nil : value
        stored[key] = value % 7 == 0 ? nil : value
        #expect(cache[key] == stored[key])
        let other = UInt64.random(in: 0..<40, using: &random)
        if let kept = cache[other] {
            #expect(kept == stored[other])
            found += 1
        }
    }
    #expect(found > 0)
    cache.removeAll()
    #expect(stored.keys.allSatisfy { cache[$0] == nil })
}
