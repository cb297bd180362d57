import Bluetooth
import DeviceTesting
import Glibc
import Profile

// Values of options shared by several commands; `option` is the option's name for messages.

extension Address {
    /// Parses an address.
    init(option: String, _ text: String) throws {
        guard let address = Address(text) else {
            throw UsageError("\(option) \(text): expected an address, like c0:11:22:33:44:55")
        }
        self = address
    }
}

extension Duration {
    /// Parses a time with its unit.
    init(option: String, _ text: String) throws {
        guard let duration = Duration(parsing: text) else {
            throw UsageError("\(option) \(text): expected a time, like 90s, 5min or 8h")
        }
        self = duration
    }
}

/// `--passkey`.
enum Passkey {
    /// The user at the terminal; nil where standard input is no terminal.
    static var user: PairingUser? { isatty(STDIN_FILENO) == 1 ? PairingUser { Console.writeError($0) } : nil }

    /// Checks that a passkey has at most six digits (Vol 3, Part H, 2.3.5.3).
    static func checked(_ number: UInt32?) throws -> UInt32? {
        if let number, number > 999_999 { throw UsageError("--passkey \(number): expected 0 to 999999") }
        return number
    }
}
