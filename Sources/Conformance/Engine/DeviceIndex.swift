import Bluetooth
import Captures
import Conversation
import PluginKit

/// Numbers of devices in the report, by index in the tracker.
final class DeviceIndex {
    private var numbers: [Int32: Int32] = [:]
    /// Numbers of devices whose address was not captured, by open connection and side.
    private var strangers: [Stranger: Int32] = [:]
    private var names: [Int32: Device] = [:]
    private let store: ResultStore

    private struct Stranger: Hashable {
        var connection: Int
        var isSender: Bool
    }

    init(_ store: ResultStore) {
        self.store = store
    }

    /// Updates the names of the batch's devices.
    func begin(_ batch: borrowing TrackedBatch) {
        names = batch.devices
        for (index, device) in batch.devices {
            guard let number = numbers[index], number >= 0 else { continue }
            store.update(number) { $0.title = device.title }
        }
    }

    /// A connection has ended: counts it for its listed devices, and records their roles.
    func noteEnd(of connection: Connection) {
        for (index, direction) in [(connection.sender, Direction.sent), (connection.receiver, Direction.received)] {
            if let number = numbers[index] { note(number, direction, connection) }
        }
        for direction in [Direction.sent, .received] {
            let stranger = Stranger(connection: connection.number, isSender: direction == .sent)
            if let number = strangers[stranger] { note(number, direction, connection) }
        }
    }

    /// Forgets an ended connection's devices without an address, after all its outcomes are recorded.
    func forgetStrangers(of connection: Connection) {
        for isSender in [true, false] { strangers[Stranger(connection: connection.number, isSender: isSender)] = nil }
    }

    private func note(_ number: Int32, _ direction: Direction, _ connection: Connection) {
        store.update(number) {
            $0.connections += 1
            if connection.central != .unknown { $0.isCentral = direction == connection.central }
        }
    }

    /// The number of a device; -1 for an unknown device, or if too many are listed.
    func number(of index: Int32) -> Int32 {
        if index < 0 { return -1 }
        if let number = numbers[index] { return number }
        var device = CheckedDevice()
        if let known = names[index] {
            device.title = known.title
            device.address = known.address?.address.description
        }
        let number = store.add(device, .device(index))
        numbers[index] = number
        return number
    }

    /// The number of the device that sends in a direction of a connection; a device without an address is listed for
    /// this connection only.
    func number(of connection: Connection, sending direction: Direction = .received) -> Int32 {
        let isSender = direction == .sent
        let index = isSender ? connection.sender : connection.receiver
        if index >= 0 { return number(of: index) }
        let stranger = Stranger(connection: connection.number, isSender: isSender)
        if let number = strangers[stranger] { return number }
        var device = CheckedDevice()
        if isSender { device.title = "central" }
        let number = store.add(device, .stranger(connection: connection.number, isSender: isSender))
        strangers[stranger] = number
        return number
    }
}
