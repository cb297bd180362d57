/// The share of a capture that one instance of the check evaluates. Devices are distributed by their index, and a
/// connection belongs to the share of its peripheral, so that all traffic of a device is evaluated in one place.
///
/// The number of shares is fixed and does not depend on the machine: results are the same on any number of cores.
package struct CheckShard: Sendable {
    let index: Int
    let count: Int

    /// The whole capture.
    package static let whole = CheckShard(index: 0, count: 1)

    /// The shares of a capture. One stage evaluates each, beside the stage that follows the conversations.
    package static let all = (0..<2).map { CheckShard(index: $0, count: 2) }

    /// Whether it is the share of everything that belongs to no device: commands, events and unknown senders.
    var hasUnassigned: Bool { index == 0 }

    /// Whether the device with this index belongs to it; -1 is an unknown device.
    func owns(_ device: Int32) -> Bool { count == 1 || (device < 0 ? hasUnassigned : Int(device) % count == index) }

    /// This share of a limit for the whole capture.
    func share(of limit: Int) -> Int { limit / count }
}
