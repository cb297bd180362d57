import Bluetooth
import DeviceTesting
import Glibc
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

/// `--passkey`.
enum Passkey {
    /// The person at the terminal; nil where there is none.
    static var user: PairingUser? { isatty(STDIN_FILENO) == 1 ? PairingUser { Console.writeError($0) } : nil }

    /// Six digits as a number (Vol 3, Part H, 2.3.5.3).
    static func checked(_ number: UInt32?) throws -> UInt32? {
        if let number, number > 999_999 { throw UsageError("--passkey \(number): expected 0 to 999999") }
        return number
    }
}
