public import Bytes

/// Control PDUs that change or end a connection.
extension LL {
    /// Changes the connection parameters; sent by the central (Vol 6, Part B, 2.4.2.1).
    public struct ConnectionUpdateInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.connectionUpdateInd

        /// WinSize: transmit window, in 1.25 ms.
        public var windowSize: UInt8
        /// WinOffset: from the instant's event to the window, in 1.25 ms.
        public var windowOffset: UInt16
        /// Connection interval, in 1.25 ms, 6 to 3200.
        public var interval: UInt16
        /// Connection events that the peripheral may skip, 0 to 499.
        public var latency: UInt16
        /// Supervision timeout, in 10 ms, 10 to 3200.
        public var timeout: UInt16
        /// Connection event at which the change takes effect.
        public var instant: UInt16

        public init(
            windowSize: UInt8, windowOffset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16, instant: UInt16
        ) {
            self.windowSize = windowSize
            self.windowOffset = windowOffset
            self.interval = interval
            self.latency = latency
            self.timeout = timeout
            self.instant = instant
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            windowSize = try reader.read(Fields.windowSize)
            windowOffset = try reader.read(Fields.windowOffset)
            interval = try reader.read(Fields.interval)
            latency = try reader.read(Fields.latency)
            timeout = try reader.read(Fields.timeout)
            instant = try reader.read(Fields.instant)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(windowSize)
            writer.write(windowOffset)
            writer.write(interval)
            writer.write(latency)
            writer.write(timeout)
            writer.write(instant)
        }
    }

    /// Changes the channel map; sent by the central (Vol 6, Part B, 2.4.2.2).
    public struct ChannelMapInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.channelMapInd

        public var channelMap: ChannelMap
        /// Connection event at which the change takes effect.
        public var instant: UInt16

        public init(channelMap: ChannelMap, instant: UInt16) {
            self.channelMap = channelMap
            self.instant = instant
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            channelMap = try reader.readChannelMap(Fields.channelMap)
            instant = try reader.read(Fields.instant)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(channelMap)
            writer.write(instant)
        }
    }

    /// Ends the connection (Vol 6, Part B, 2.4.2.3).
    public struct TerminateInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.terminateInd

        public var errorCode: ControllerError

        public init(errorCode: ControllerError) {
            self.errorCode = errorCode
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            errorCode = try reader.read(Fields.errorCode)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(errorCode)
        }
    }

    /// Connection parameters that one side requests or accepts (Vol 6, Part B, 2.4.2.16).
    public struct ConnectionParameters: WireFormat, Hashable {
        /// In 1.25 ms.
        public var intervalMinimum: UInt16
        /// In 1.25 ms.
        public var intervalMaximum: UInt16
        /// In connection events.
        public var latency: UInt16
        /// Supervision timeout, in 10 ms.
        public var timeout: UInt16
        /// The interval should be a multiple of this value, in 1.25 ms; 0: no preference.
        public var preferredPeriodicity: UInt8
        /// Connection event that the offsets refer to.
        public var referenceEventCount: UInt16
        /// Offset0 to Offset5: preferred offsets of the anchor point, in 1.25 ms, most preferred first; 0xFFFF: not
        /// valid.
        public var offsets: [UInt16]

        public init(
            intervalMinimum: UInt16, intervalMaximum: UInt16, latency: UInt16, timeout: UInt16,
            preferredPeriodicity: UInt8, referenceEventCount: UInt16, offsets: [UInt16]
        ) {
            self.intervalMinimum = intervalMinimum
            self.intervalMaximum = intervalMaximum
            self.latency = latency
            self.timeout = timeout
            self.preferredPeriodicity = preferredPeriodicity
            self.referenceEventCount = referenceEventCount
            self.offsets = offsets
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            intervalMinimum = try reader.read(Fields.intervalMinimum)
            intervalMaximum = try reader.read(Fields.intervalMaximum)
            latency = try reader.read(Fields.latency)
            timeout = try reader.read(Fields.timeout)
            preferredPeriodicity = try reader.read(Fields.preferredPeriodicity)
            referenceEventCount = try reader.read(Fields.referenceEventCount)
            offsets = []
            for field in Fields.offsets { offsets.append(try reader.read(field)) }
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(intervalMinimum)
            writer.write(intervalMaximum)
            writer.write(latency)
            writer.write(timeout)
            writer.write(preferredPeriodicity)
            writer.write(referenceEventCount)
            for offset in offsets { writer.write(offset) }
        }
    }

    /// Asks for other connection parameters (Vol 6, Part B, 2.4.2.16).
    public struct ConnectionParamReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.connectionParamReq

        public var parameters: ConnectionParameters

        public init(parameters: ConnectionParameters) {
            self.parameters = parameters
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            parameters = try ConnectionParameters(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            parameters.write(to: &writer)
        }
    }

    /// Connection parameters that the other side accepts (Vol 6, Part B, 2.4.2.17).
    public struct ConnectionParamRsp: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.connectionParamRsp

        public var parameters: ConnectionParameters

        public init(parameters: ConnectionParameters) {
            self.parameters = parameters
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            parameters = try ConnectionParameters(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            parameters.write(to: &writer)
        }
    }

    /// Asks for other subrate parameters (Vol 6, Part B, 2.4.2.39).
    public struct SubrateReq: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.subrateReq

        /// 1 to 500.
        public var factorMinimum: UInt16
        /// 1 to 500.
        public var factorMaximum: UInt16
        /// In subrated connection events.
        public var maximumLatency: UInt16
        /// Connection events that remain in use after a packet with data.
        public var continuationNumber: UInt16
        /// Supervision timeout, in 10 ms.
        public var timeout: UInt16

        public init(
            factorMinimum: UInt16, factorMaximum: UInt16, maximumLatency: UInt16, continuationNumber: UInt16,
            timeout: UInt16
        ) {
            self.factorMinimum = factorMinimum
            self.factorMaximum = factorMaximum
            self.maximumLatency = maximumLatency
            self.continuationNumber = continuationNumber
            self.timeout = timeout
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            factorMinimum = try reader.read(Fields.subrateFactorMinimum)
            factorMaximum = try reader.read(Fields.subrateFactorMaximum)
            maximumLatency = try reader.read(Fields.subrateMaximumLatency)
            continuationNumber = try reader.read(Fields.continuationNumber)
            timeout = try reader.read(Fields.timeout)
        }

        public func write(to writer: inout ByteWriter) {
            for value in [factorMinimum, factorMaximum, maximumLatency, continuationNumber, timeout] {
                writer.write(value)
            }
        }
    }

    /// Changes the subrate parameters; sent by the central (Vol 6, Part B, 2.4.2.40).
    public struct SubrateInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.subrateInd

        /// 1 to 500.
        public var factor: UInt16
        /// Connection event from which the subrated events are counted.
        public var baseEvent: UInt16
        /// In subrated connection events.
        public var latency: UInt16
        /// Connection events that remain in use after a packet with data.
        public var continuationNumber: UInt16
        /// Supervision timeout, in 10 ms.
        public var timeout: UInt16

        public init(factor: UInt16, baseEvent: UInt16, latency: UInt16, continuationNumber: UInt16, timeout: UInt16) {
            self.factor = factor
            self.baseEvent = baseEvent
            self.latency = latency
            self.continuationNumber = continuationNumber
            self.timeout = timeout
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            factor = try reader.read(Fields.subrateFactor)
            baseEvent = try reader.read(Fields.subrateBaseEvent)
            latency = try reader.read(Fields.latency)
            continuationNumber = try reader.read(Fields.continuationNumber)
            timeout = try reader.read(Fields.timeout)
        }

        public func write(to writer: inout ByteWriter) {
            for value in [factor, baseEvent, latency, continuationNumber, timeout] { writer.write(value) }
        }
    }
}
