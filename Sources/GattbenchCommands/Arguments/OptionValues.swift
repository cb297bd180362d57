import BluetoothTypes
import Profile

// Values of options that several commands take; `option` is its name in the message.

extension Address {
    /// An address as people write it.
    init(option: String, _ text: String) throws {
        guard let address = Address(text) else {
            throw UsageError("\(option) \(text): expected an address, like c0:11:22:33:44:55")
        }
        self = address
    }
}

extension Duration {
    /// A time with its unit.
    init(option: String, _ text: String) throws {
        guard let duration = Duration(parsing: text) else {
            throw UsageError("\(option) \(text): expected a time, like 90s, 5min or 8h")
        }
        self = duration
    }
}
