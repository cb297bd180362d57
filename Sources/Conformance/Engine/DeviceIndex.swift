import BluetoothTypes
import Captures
import Conversation
import PluginKit

/// Numbers of devices in the report, by their index in the tracker.
final class DeviceIndex {
    private var numbers: [Int32: Int32] = [:]
    /// Numbers of devices whose address was not captured, by the connection.
    private var strangers: [Int: Int32] = [:]
    private var names: [Int32: Device] = [:]
    private let store: ResultStore

    init(_ store: ResultStore) {
        self.store = store
    }

    /// Takes note of what the batch's devices are called.
    func turn(to batch: borrowing TrackedBatch) {
        names = batch.devices
        for (index, device) in batch.devices {
            guard let number = numbers[index], number >= 0 else { continue }
            store.update(number) { $0.title = device.title }
        }
    }

    /// A connection of listed devices has ended: counts it, and takes note of which side of it they were.
    func noteEnd(of link: ConnectionState) {
        for (index, direction) in [(link.sender, Direction.sent), (link.receiver, Direction.received)] {
            if let number = numbers[index] { note(number, direction, link) }
        }
        if let number = strangers[link.number] { note(number, .received, link) }
    }

    private func note(_ number: Int32, _ direction: Direction, _ link: ConnectionState) {
        store.update(number) {
            $0.connections += 1
            if link.central != .unknown { $0.isCentral = direction == link.central }
        }
    }

    /// The number of a device; -1 for none and for one too many.
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

    /// The number of the device at the other end of a connection.
    func number(of link: ConnectionState) -> Int32 {
        if link.receiver >= 0 { return number(of: link.receiver) }
        if let number = strangers[link.number] { return number }
        let number = store.add(CheckedDevice(), .stranger(connection: link.number))
        strangers[link.number] = number
        return number
    }
}
