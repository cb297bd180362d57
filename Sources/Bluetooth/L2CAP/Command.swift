public import Bytes

extension L2CAP {
    /// A signaling command without its header.
    public protocol Command: WireFormat {
        static var code: CommandCode { get }
    }

    /// The header of a signaling command (Vol 3, Part A, 4).
    public struct CommandHeader: WireFormat, Hashable {
        public var code: CommandCode
        /// Matches a response with its request; never 0.
        public var identifier: UInt8
        /// Bytes of data after the header.
        public var length: UInt16

        public init(code: CommandCode, identifier: UInt8, length: UInt16) {
            self.code = code
            self.identifier = identifier
            self.length = length
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            code = try reader.read(Fields.commandCode)
            identifier = try reader.read(Fields.commandIdentifier)
            length = try reader.read(Fields.commandLength)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(code)
            writer.write(identifier)
            writer.write(length)
        }
    }

    /// A command in a signaling frame, with its header.
    public struct Signal: Sendable {
        public var header: CommandHeader
        /// The command; nil for a code that the specification does not define.
        public var command: (any Command)?
        /// Bytes of the command's data after its known parameters.
        public var trailing: Int
    }

    /// Reads the next command of a signaling frame; a BR/EDR frame may contain several.
    ///
    /// After an error in a command's data, the reader is positioned after that command, so the next one can be read.
    public static func readSignal(_ reader: inout ByteReader) throws(DecodeError) -> Signal {
        let group = reader.begin(Fields.command)
        do {
            let signal = try readSignalParts(&reader)
            reader.end(group)
            return signal
        } catch {
            reader.end(group)
            throw error
        }
    }

    private static func readSignalParts(_ reader: inout ByteReader) throws(DecodeError) -> Signal {
        let header = try CommandHeader(reading: &reader)
        guard reader.remaining >= header.length || reader.isCut else {
            let error = reader.truncated(Fields.commandData, needed: Int(header.length))
            reader.skipRest(Fields.commandData)
            throw error
        }
        var data = try reader.slice(count: Int(header.length), lengthSetBy: Fields.commandLength)
        let command = try CommandCode.table[header.code]?.command.init(reading: &data)
        let trailing = data.remaining
        data.skipRest(Fields.commandData)
        return Signal(header: header, command: command, trailing: command == nil ? 0 : trailing)
    }

    /// The bytes of a complete command, header first.
    public static func encode(_ command: some Command, identifier: UInt8) -> [UInt8] {
        let data = command.encoded
        return ByteWriter.bytes {
            CommandHeader(
                code: type(of: command).code, identifier: identifier, length: UInt16(truncatingIfNeeded: data.count)
            ).write(to: &$0)
            $0.write(data)
        }
    }
}

extension L2CAP {
    /// Reason for rejecting a command (Vol 3, Part A, 4.1).
    public struct RejectReason: WireInteger {
        public var rawValue: UInt16

        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        public static let commandNotUnderstood = Self(rawValue: 0)
        public static let signalingMTUExceeded = Self(rawValue: 1)
        public static let invalidCID = Self(rawValue: 2)

        public var name: String? {
            switch self {
            case .commandNotUnderstood: "Command not understood"
            case .signalingMTUExceeded: "Signaling MTU exceeded"
            case .invalidCID: "Invalid CID in request"
            default: nil
            }
        }
    }

    /// Rejects a command that is unknown, too long or for a channel that does not exist (Vol 3, Part A, 4.1).
    public struct CommandReject: Command, Hashable {
        public static let code = CommandCode.commandReject

        /// The reason's data.
        public enum Details: Hashable, Sendable {
            /// Maximum length of a signaling frame that the sender accepts, in bytes.
            case maximumMTU(UInt16)
            /// The endpoints in the rejected command, as seen by the sender of the reject.
            case channel(local: ChannelID, remote: ChannelID)
            /// Data of an unknown reason.
            case other([UInt8])
        }

        public var reason: RejectReason
        public var details: Details

        public init(reason: RejectReason, details: Details = .other([])) {
            self.reason = reason
            self.details = details
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            reason = try reader.read(Fields.rejectReason)
            switch reason {
            case .signalingMTUExceeded:
                details = .maximumMTU(try reader.read(Fields.signalingMTU))
            case .invalidCID:
                let local = try reader.read(Fields.sourceCID, as: ChannelID.self)
                details = .channel(local: local, remote: try reader.read(Fields.destinationCID))
            default:
                details = .other(reader.readRest(Fields.data))
            }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(reason)
            switch details {
            case .maximumMTU(let mtu): writer.write(mtu)
            case .channel(let local, let remote):
                writer.write(local)
                writer.write(remote)
            case .other(let data): writer.write(data)
            }
        }
    }
}
