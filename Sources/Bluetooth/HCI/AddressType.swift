public import Bytes

extension HCI {
    /// Type of an LE device address in commands and events (Vol 4, Part E, 7.7.65.1 and 7.7.65.13).
    public struct AddressType: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let publicDevice = Self(rawValue: 0)
        public static let randomDevice = Self(rawValue: 1)
        /// Public identity address, resolved by the controller; as own address type: resolvable private, or public
        /// without a key.
        public static let publicIdentity = Self(rawValue: 2)
        /// Random identity address, resolved by the controller; as own address type: resolvable private, or random
        /// without a key.
        public static let randomIdentity = Self(rawValue: 3)
        public static let anonymous = Self(rawValue: 0xFF)

        /// Public or random; nil for an anonymous advertiser.
        public var kind: DeviceAddress.Kind? {
            switch rawValue {
            case 0, 2: .public
            case 1, 3, 0xFE: .random
            default: nil
            }
        }

        public var name: String? {
            switch rawValue {
            case 0: "Public Device Address"
            case 1: "Random Device Address"
            case 2: "Public Identity Address"
            case 3: "Random (static) Identity Address"
            case 0xFE: "Random Device Address (Controller unable to resolve)"
            case 0xFF: "No address provided (anonymous advertisement)"
            default: nil
            }
        }
    }

    /// Role of a device in a connection (Vol 4, Part E, 7.7.65.1).
    public struct Role: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let central = Self(rawValue: 0)
        public static let peripheral = Self(rawValue: 1)

        public var name: String? {
            switch rawValue {
            case 0: "Central"
            case 1: "Peripheral"
            default: nil
            }
        }
    }

    /// An LE PHY (Vol 4, Part E, 7.7.65.12).
    public struct PHY: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let le1M = Self(rawValue: 1)
        public static let le2M = Self(rawValue: 2)
        public static let leCoded = Self(rawValue: 3)

        public var name: String? {
            switch rawValue {
            case 0: "None"
            case 1: "LE 1M"
            case 2: "LE 2M"
            case 3: "LE Coded"
            default: nil
            }
        }
    }
}
