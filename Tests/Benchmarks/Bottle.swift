import Bytes
import TestKit

/// The bottle on a puck.
struct Bottle {
    /// Volume of the contents, in ml.
    private var level: Int16
    /// Today's consumption, in ml.
    private var total: UInt16
    /// In percent.
    private let battery: UInt8
    private var lastRecord: UInt32
    /// Encoded records that no client has fetched yet.
    var records: [[UInt8]] = []

    init(random: inout SplitMix64) {
        level = .random(in: 300..<800, using: &random)
        total = .random(in: 0..<900, using: &random)
        battery = .random(in: 30..<100, using: &random)
        lastRecord = .random(in: 1..<10_000, using: &random)
    }

    /// A drink, which adds a record, or a refill, which adds none.
    mutating func change(at seconds: UInt32, random: inout SplitMix64) {
        guard level > 330 || level > 60 && Int.random(in: 0..<10, using: &random) < 6 else {
            level = .random(in: (level + 120)..<830, using: &random)
            return
        }
        let amount = Int16.random(in: 30..<min(300, level), using: &random)
        level -= amount
        total += UInt16(amount)
        lastRecord += 1
        let (record, level) = (lastRecord, level)
        records.append(
            ByteWriter.bytes {
                $0.write(record)
                $0.write(seconds)
                $0.write(amount)
                $0.write(level)
                $0.write(amount >= 100 ? 1 : 0 as UInt8)
                $0.write(0 as UInt8)
            })
    }

    /// The bytes of Current State.
    func state(at seconds: UInt32) -> [UInt8] {
        ByteWriter.bytes {
            $0.write(seconds)
            $0.write(level)
            $0.write(level)
            $0.write(total)
            $0.write(battery)
            $0.write(0x07 as UInt8)
            $0.write(UInt16(records.count))
        }
    }
}
