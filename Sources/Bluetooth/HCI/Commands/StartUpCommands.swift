extension HCI {
    /// Asks for the controller's versions and manufacturer (Vol 4, Part E, 7.4.1).
    public struct ReadLocalVersionInformation: RowCommand {
        public static let opcode = Opcode.readLocalVersionInformation
        public var values: [String: Value] { [:] }

        public init() {}

        /// The return parameters.
        public struct Returned: Hashable, Sendable {
            public var hciVersion: UInt8
            /// Company identifier.
            public var manufacturer: UInt16

            /// Nil if the parameters are unreadable or report a failure.
            public init?(_ parameters: [UInt8]) {
                guard let values = ReadLocalVersionInformation.returned(parameters) else { return nil }
                hciVersion = values.number("hci_vers_nr")
                manufacturer = values.number("comp_id")
            }
        }
    }

    /// Asks for the commands that the controller supports (Vol 4, Part E, 7.4.2).
    public struct ReadLocalSupportedCommands: RowCommand {
        public static let opcode = Opcode.readLocalSupportedCommands
        public var values: [String: Value] { [:] }

        public init() {}

        /// The return parameters.
        public struct Returned: Hashable, Sendable {
            /// One bit per command, in 64 bytes (Vol 4, Part E, 6.27).
            public var commands: [UInt8]

            /// Nil if the parameters are unreadable or report a failure.
            public init?(_ parameters: [UInt8]) {
                guard let values = ReadLocalSupportedCommands.returned(parameters) else { return nil }
                commands = values.bytes("local_supported_cmds")
            }
        }
    }

    /// Asks for the size and number of the controller's data buffers for BR/EDR, and for LE if shared (Vol 4, Part E,
    /// 7.4.5).
    public struct ReadBufferSize: RowCommand {
        public static let opcode = Opcode.readBufferSize
        public var values: [String: Value] { [:] }

        public init() {}

        /// The return parameters.
        public struct Returned: Hashable, Sendable {
            /// Maximum length of an ACL data packet, in bytes.
            public var packetLength: UInt16
            /// Number of ACL data packets that the controller can buffer.
            public var packetCount: UInt16

            /// Nil if the parameters are unreadable or report a failure.
            public init?(_ parameters: [UInt8]) {
                guard let values = ReadBufferSize.returned(parameters) else { return nil }
                packetLength = values.number("max_data_length_acl")
                packetCount = values.number("max_data_num_acl")
            }
        }
    }

    /// Sets whether the host supports LE (Vol 4, Part E, 7.3.79).
    public struct WriteLEHostSupport: RowCommand {
        public static let opcode = Opcode.writeLEHostSupport
        public var isSupported: Bool

        public init(isSupported: Bool) { self.isSupported = isSupported }

        public var values: [String: Value] {
            ["bthci_cmd.le_supported_host": isSupported ? 1 : 0, "bthci_cmd.le_simultaneous_host": 0]
        }
    }

    /// Asks for the controller's LE features (Vol 4, Part E, 7.8.3).
    public struct LEReadLocalSupportedFeatures: RowCommand {
        public static let opcode = Opcode.leReadLocalSupportedFeatures
        public var values: [String: Value] { [:] }

        public init() {}

        /// The return parameters.
        public struct Returned: Hashable, Sendable {
            /// One bit per feature (Vol 6, Part B, 4.6).
            public var features: UInt64

            /// Nil if the parameters are unreadable or report a failure.
            public init?(_ parameters: [UInt8]) {
                guard let values = LEReadLocalSupportedFeatures.returned(parameters) else { return nil }
                features = values.number("le_features")
            }
        }
    }

    /// Sets the suggested data length of new connections (Vol 4, Part E, 7.8.35).
    public struct LEWriteSuggestedDefaultDataLength: RowCommand {
        public static let opcode = Opcode.leWriteSuggestedDefaultDataLength
        /// 27 to 251 bytes.
        public var octets: UInt16
        /// 328 to 17040 µs.
        public var time: UInt16

        public init(octets: UInt16, time: UInt16) { (self.octets, self.time) = (octets, time) }

        public var values: [String: Value] {
            ["bthci_cmd.le_suggested_max_tx_octets": Value(octets), "bthci_cmd.le_suggested_max_tx_time": Value(time)]
        }
    }

    /// Asks for the maximum length of advertising data in a set (Vol 4, Part E, 7.8.57).
    public struct LEReadMaximumAdvertisingDataLength: RowCommand {
        public static let opcode = Opcode.leReadMaximumAdvertisingDataLength
        public var values: [String: Value] { [:] }

        public init() {}

        /// The return parameters.
        public struct Returned: Hashable, Sendable {
            /// 31 to 1650 bytes.
            public var length: UInt16

            /// Nil if the parameters are unreadable or report a failure.
            public init?(_ parameters: [UInt8]) {
                guard let values = LEReadMaximumAdvertisingDataLength.returned(parameters) else { return nil }
                length = values.number("max_adv_data_length")
            }
        }
    }
}
