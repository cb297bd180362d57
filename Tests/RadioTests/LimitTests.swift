import Bluetooth
import Bytes
import Testing

@testable import Radio

/// Vol 4, Part E, 7.8.12: the ranges, and a supervision time-out longer than (1 + latency) × interval × 2.
@Test(
    arguments: [
        (6, 6, 0, 10, true), (5, 6, 0, 10, false), (3200, 3200, 0, 3200, true), (3200, 3201, 0, 3200, false),
        (8, 7, 0, 10, false), (6, 6, 499, 3200, true), (6, 6, 500, 3200, false), (6, 6, 0, 9, false),
        (6, 6, 0, 3200, true), (6, 6, 0, 3201, false), (40, 40, 0, 10, false), (39, 39, 0, 10, true),
        (40, 40, 1, 20, false), (40, 40, 1, 21, true),
    ] as [(UInt16, UInt16, UInt16, UInt16, Bool)])
func linkTimingHasItsRanges(minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16, isValid: Bool) {
    #expect(((try? LinkTiming(minimum, maximum, latency, timeout)) != nil) == isValid)
}

@Test func theWeakestSignalIsHeard() {
    #expect(Path(attenuation: 95).strength(ofSignal: 0) == -95)
    #expect(Path(attenuation: 96).strength(ofSignal: 0) == nil)
    #expect(Path(attenuation: 100).strength(ofSignal: 5) == -95)
}

@Test func eventsHappenAtTheirTimeInTheirOrder() {
    var queue = EventQueue<Int>()
    let time = Timestamp(nanoseconds: 5)
    queue.insert(1, at: time)
    queue.insert(2, at: time)
    queue.insert(0, at: Timestamp(nanoseconds: 4))
    let taken = [3, 4, 4, 5, 5, 5].map { queue.removeFirst(notAfter: Timestamp(nanoseconds: $0))?.event }
    #expect(taken == [nil, 0, nil, 1, 2, nil])
}

/// The filter stores 512 reports; the next one evicts the oldest.
@Test func duplicatesAreKnownUpToTheFiltersLimit() {
    var filter = DuplicateFilter()
    func key(_ number: UInt64) -> DuplicateFilter.Key {
        DuplicateFilter.Key(
            address: DeviceAddress(Address(value: number), .public), isScanResponse: false, setID: 0, dataID: 0,
            properties: .connectable)
    }
    let areNew = (0...512).map { filter.insert(key($0)) }
    #expect(areNew.allSatisfy { $0 })
    // Number 512 evicted number 0.
    let again = [512, 1, 0].map { filter.insert(key($0)) }
    #expect(again == [false, false, true])
}
