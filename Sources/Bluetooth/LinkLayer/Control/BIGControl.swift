public import Bytes

/// Control PDUs of broadcast isochronous groups (Vol 6, Part B, 2.6.3).
extension LL {
    /// A channel map update or the termination of a broadcast isochronous group.
    public enum BIGControl: WireFormat, Hashable {
        /// BIG_CHANNEL_MAP_IND: new channel map from event `instant` on.
        case channelMap(ChannelMap, instant: UInt16)
        /// BIG_TERMINATE_IND: end of the group at event `instant`.
        case terminate(reason: ControllerError, instant: UInt16)
        /// An opcode that the specification does not define.
        case unknown(opcode: UInt8, parameters: [UInt8])

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let opcode: UInt8 = try reader.read(Fields.bigControlOpcode)
            switch opcode {
            case 0:
                let map = try reader.readChannelMap(Fields.channelMap)
                self = .channelMap(map, instant: try reader.read(Fields.instant))
            case 1:
                let reason: ControllerError = try reader.read(Fields.errorCode)
                self = .terminate(reason: reason, instant: try reader.read(Fields.instant))
            default:
                self = .unknown(opcode: opcode, parameters: reader.readRest(Fields.unknownData))
            }
        }

        public func write(to writer: inout ByteWriter) {
            switch self {
            case .channelMap(let map, let instant):
                writer.write(0 as UInt8)
                writer.write(map)
                writer.write(instant)
            case .terminate(let reason, let instant):
                writer.write(1 as UInt8)
                writer.write(reason)
                writer.write(instant)
            case .unknown(let opcode, let parameters):
                writer.write(opcode)
                writer.write(parameters)
            }
        }
    }
}
