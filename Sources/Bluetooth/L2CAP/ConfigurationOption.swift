public import Bytes

extension L2CAP {
    /// A parameter of a BR/EDR channel (Vol 3, Part A, 5).
    public struct ConfigurationOption: WireFormat, Hashable {
        /// Whether a device that does not support the option may ignore it.
        public var isHint: Bool
        public var value: Value

        public init(_ value: Value, isHint: Bool = false) {
            self.isHint = isHint
            self.value = value
        }

        /// The parameters, by option type.
        public enum Value: Hashable, Sendable {
            /// Maximum payload that the sender accepts, in bytes (Vol 3, Part A, 5.1).
            case mtu(UInt16)
            /// Time for which the sender tries to transmit a frame, in ms; 0xFFFF: no limit (Vol 3, Part A, 5.2).
            case flushTimeout(UInt16)
            case qualityOfService(QualityOfService)
            case retransmission(RetransmissionAndFlowControl)
            /// 0: none, 1: 16 bits (Vol 3, Part A, 5.5).
            case frameCheckSequence(UInt8)
            case extendedFlowSpecification(ExtendedFlowSpecification)
            /// Maximum number of unacknowledged frames (Vol 3, Part A, 5.7).
            case extendedWindowSize(UInt16)
            case unknown(type: UInt8, [UInt8])
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            let type = try reader.read(Fields.optionType, as: UInt8.self)
            reader.recordBits(type, Fields.optionTypeBits)
            isHint = type & 0x80 != 0
            let length: UInt8 = try reader.read(Fields.optionLength)
            if let expected = Self.lengths[type & 0x7F], length != expected {
                throw reader.invalid(Fields.optionLength, length: 1, expected: "\(expected), not \(length)")
            }
            var parameters = try reader.slice(count: Int(length), lengthSetBy: Fields.optionLength)
            value =
                switch type & 0x7F {
                case 0x01: .mtu(try parameters.read(Fields.mtu))
                case 0x02: .flushTimeout(try parameters.read(Fields.flushTimeout))
                case 0x03: .qualityOfService(try QualityOfService(reading: &parameters))
                case 0x04: .retransmission(try RetransmissionAndFlowControl(reading: &parameters))
                case 0x05: .frameCheckSequence(try parameters.read(Fields.frameCheckSequence))
                case 0x06: .extendedFlowSpecification(try ExtendedFlowSpecification(reading: &parameters))
                case 0x07: .extendedWindowSize(try parameters.read(Fields.extendedWindowSize))
                default: .unknown(type: type & 0x7F, parameters.readRest(Fields.data))
                }
        }

        /// Size in bytes of each type's parameters.
        private static let lengths: [UInt8: UInt8] = [
            0x01: 2, 0x02: 2, 0x03: 22, 0x04: 9, 0x05: 1, 0x06: 16, 0x07: 2,
        ]

        public func write(to writer: inout ByteWriter) {
            let (type, parameters) = encodedValue
            writer.write(isHint ? type | 0x80 : type)
            writer.write(UInt8(truncatingIfNeeded: parameters.count))
            writer.write(parameters)
        }

        private var encodedValue: (type: UInt8, parameters: [UInt8]) {
            switch value {
            case .mtu(let mtu): (0x01, ByteWriter.bytes { $0.write(mtu) })
            case .flushTimeout(let timeout): (0x02, ByteWriter.bytes { $0.write(timeout) })
            case .qualityOfService(let quality): (0x03, quality.encoded)
            case .retransmission(let retransmission): (0x04, retransmission.encoded)
            case .frameCheckSequence(let kind): (0x05, [kind])
            case .extendedFlowSpecification(let specification): (0x06, specification.encoded)
            case .extendedWindowSize(let size): (0x07, ByteWriter.bytes { $0.write(size) })
            case .unknown(let type, let parameters): (type & 0x7F, parameters)
            }
        }
    }

    /// Traffic that the sender intends to send (Vol 3, Part A, 5.3).
    public struct QualityOfService: WireFormat, Hashable {
        /// Reserved, 0.
        public var flags: UInt8
        /// 0: no traffic, 1: best effort, 2: guaranteed.
        public var serviceType: UInt8
        /// In bytes per second.
        public var tokenRate: UInt32
        /// In bytes.
        public var tokenBucketSize: UInt32
        /// In bytes per second.
        public var peakBandwidth: UInt32
        /// In µs.
        public var latency: UInt32
        /// In µs.
        public var delayVariation: UInt32

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            flags = try reader.read(Fields.serviceFlags)
            serviceType = try reader.read(Fields.serviceType)
            tokenRate = try reader.read(Fields.tokenRate)
            tokenBucketSize = try reader.read(Fields.tokenBucketSize)
            peakBandwidth = try reader.read(Fields.peakBandwidth)
            latency = try reader.read(Fields.serviceLatency)
            delayVariation = try reader.read(Fields.delayVariation)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(flags)
            writer.write(serviceType)
            writer.write(tokenRate)
            writer.write(tokenBucketSize)
            writer.write(peakBandwidth)
            writer.write(latency)
            writer.write(delayVariation)
        }
    }

    /// Mode and retransmission parameters of the channel (Vol 3, Part A, 5.4).
    public struct RetransmissionAndFlowControl: WireFormat, Hashable {
        /// 0: basic, 1: retransmission, 2: flow control, 3: enhanced retransmission, 4: streaming.
        public var mode: UInt8
        /// Maximum number of unacknowledged frames, 1 to 63.
        public var windowSize: UInt8
        /// Maximum number of transmissions of a frame; 0: no limit.
        public var maximumTransmissions: UInt8
        /// In ms.
        public var retransmissionTimeout: UInt16
        /// In ms.
        public var monitorTimeout: UInt16
        /// Maximum payload of a frame, in bytes.
        public var mps: UInt16

        public init(
            mode: UInt8, windowSize: UInt8, maximumTransmissions: UInt8, retransmissionTimeout: UInt16,
            monitorTimeout: UInt16, mps: UInt16
        ) {
            self.mode = mode
            self.windowSize = windowSize
            self.maximumTransmissions = maximumTransmissions
            self.retransmissionTimeout = retransmissionTimeout
            self.monitorTimeout = monitorTimeout
            self.mps = mps
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            mode = try reader.read(Fields.retransmissionMode)
            windowSize = try reader.read(Fields.windowSize)
            maximumTransmissions = try reader.read(Fields.maximumTransmissions)
            retransmissionTimeout = try reader.read(Fields.retransmissionTimeout)
            monitorTimeout = try reader.read(Fields.monitorTimeout)
            mps = try reader.read(Fields.mps)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(mode)
            writer.write(windowSize)
            writer.write(maximumTransmissions)
            writer.write(retransmissionTimeout)
            writer.write(monitorTimeout)
            writer.write(mps)
        }
    }

    /// Traffic that the sender intends to send, in the extended form (Vol 3, Part A, 5.6).
    public struct ExtendedFlowSpecification: WireFormat, Hashable {
        public var identifier: UInt8
        /// 0: no traffic, 1: best effort, 2: guaranteed.
        public var serviceType: UInt8
        /// In bytes.
        public var maximumSDUSize: UInt16
        /// Between two SDUs, in µs.
        public var sduInterArrivalTime: UInt32
        /// In µs.
        public var accessLatency: UInt32
        /// In µs.
        public var flushTimeout: UInt32

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            identifier = try reader.read(Fields.flowIdentifier)
            serviceType = try reader.read(Fields.serviceType)
            maximumSDUSize = try reader.read(Fields.maximumSDUSize)
            sduInterArrivalTime = try reader.read(Fields.sduInterArrivalTime)
            accessLatency = try reader.read(Fields.accessLatency)
            flushTimeout = try reader.read(Fields.extendedFlushTimeout)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(identifier)
            writer.write(serviceType)
            writer.write(maximumSDUSize)
            writer.write(sduInterArrivalTime)
            writer.write(accessLatency)
            writer.write(flushTimeout)
        }
    }
}
