/// The part of a capture that one `ConformanceCheck` evaluates. Devices are divided among shards by index, and a
/// connection belongs to the shard of its peripheral, so that one check sees all traffic of a device.
///
/// The usual number of shards is a constant, because limits are divided among shards: results are the same on any
/// number of cores.
package struct CheckShard: Sendable {
    let index: Int
    let count: Int

    /// The whole capture.
    package static let whole = CheckShard(index: 0, count: 1)

    /// The shards of a capture, one for each stage that evaluates rules.
    package static func all(_ count: Int = usualCount) -> [CheckShard] {
        (0..<count).map { CheckShard(index: $0, count: count) }
    }

    package static let usualCount = 2

    /// Whether the shard evaluates traffic without a device: commands, events and unknown senders.
    var hasUnassigned: Bool { index == 0 }

    /// Whether a device belongs to the shard; -1 is an unknown device.
    func owns(_ device: Int32) -> Bool { count == 1 || (device < 0 ? hasUnassigned : Int(device) % count == index) }

    /// The shard's share of a limit for the whole capture.
    func part(of limit: Int) -> Int { limit / count }
}
