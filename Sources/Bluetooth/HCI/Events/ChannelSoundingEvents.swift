public import Bytes

extension HCI {
    /// A step of a Channel Sounding subevent: the controller's measurement on one channel (Core 6.0, Vol 4, Part E,
    /// 7.7.65.44).
    public struct CSStep: Hashable, Sendable {
        /// 0 to 3.
        public var mode: UInt8
        /// 0 to 78.
        public var channel: UInt8
        /// At most 255 bytes; the format depends on the mode.
        public var data: [UInt8]

        public init(mode: UInt8, channel: UInt8, data: [UInt8]) {
            self.mode = mode
            self.channel = channel
            self.data = data
        }
    }

    /// The part of a subevent that one event reports.
    public struct CSReport: Hashable, Sendable {
        /// 0 complete, 1 more results follow, 15 aborted.
        public var procedureDone: UInt8
        /// 0 complete, 1 more results follow, 15 aborted.
        public var subeventDone: UInt8
        /// Bits 0 to 3: procedure; bits 4 to 7: subevent; 0 for none.
        public var abortReasons: UInt8
        /// 0 to 4; 0 if no step has tones.
        public var antennaPaths: UInt8
        /// At most 160.
        public var steps: [CSStep]

        public init(
            procedureDone: UInt8, subeventDone: UInt8, abortReasons: UInt8 = 0, antennaPaths: UInt8, steps: [CSStep]
        ) {
            self.procedureDone = procedureDone
            self.subeventDone = subeventDone
            self.abortReasons = abortReasons
            self.antennaPaths = antennaPaths
            self.steps = steps
        }
    }

    /// The results of a Channel Sounding subevent, or the first part of them (Core 6.0, Vol 4, Part E, 7.7.65.44).
    public struct LECSSubeventResult: LEEvent, Hashable {
        public static let subevent = LESubevent.csSubeventResult

        public var handle: ConnectionHandle
        public var configID: UInt8
        public var startEventCounter: UInt16
        public var procedureCounter: UInt16
        /// In 0.01 ppm; −16384 if unavailable.
        public var frequencyCompensation: Int16
        /// −127 to 20 dBm; 127 if unavailable.
        public var referencePower: Int8
        public var report: CSReport

        public init(
            handle: ConnectionHandle, configID: UInt8, startEventCounter: UInt16, procedureCounter: UInt16,
            frequencyCompensation: Int16, referencePower: Int8, report: CSReport
        ) {
            self.handle = handle
            self.configID = configID
            self.startEventCounter = startEventCounter
            self.procedureCounter = procedureCounter
            self.frequencyCompensation = frequencyCompensation
            self.referencePower = referencePower
            self.report = report
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            configID = try reader.read(Parameter.csConfigID.inEvent)
            startEventCounter = try reader.read(Parameter.csStartEvent.inEvent)
            procedureCounter = try reader.read(Parameter.csProcedureCounter.inEvent)
            frequencyCompensation = try reader.read(Parameter.csFrequencyCompensation.inEvent)
            referencePower = try reader.read(Parameter.csReferencePower.inEvent)
            report = try CSReport(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(configID)
            writer.write(startEventCounter)
            writer.write(procedureCounter)
            writer.write(frequencyCompensation)
            writer.write(referencePower)
            report.write(to: &writer)
        }
    }

    /// A further part of the results of a Channel Sounding subevent (Core 6.0, Vol 4, Part E, 7.7.65.45).
    public struct LECSSubeventResultContinue: LEEvent, Hashable {
        public static let subevent = LESubevent.csSubeventResultContinue

        public var handle: ConnectionHandle
        public var configID: UInt8
        public var report: CSReport

        public init(handle: ConnectionHandle, configID: UInt8, report: CSReport) {
            self.handle = handle
            self.configID = configID
            self.report = report
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            handle = try reader.read(Parameter.connectionHandle.inEvent)
            configID = try reader.read(Parameter.csConfigID.inEvent)
            report = try CSReport(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(handle)
            writer.write(configID)
            report.write(to: &writer)
        }
    }
}

extension HCI.CSReport {
    /// Reads all steps. If a step's data do not fit its mode, throws after reading the last step.
    fileprivate init(reading reader: inout ByteReader) throws(DecodeError) {
        procedureDone = try reader.read(HCI.Parameter.csProcedureDone.inEvent)
        subeventDone = try reader.read(HCI.Parameter.csSubeventDone.inEvent)
        abortReasons = try reader.read(HCI.Parameter.csAbortReason.inEvent)
        reader.recordBits(abortReasons, HCI.Parameter.csAbortReason.parts(.event))
        antennaPaths = try reader.read(HCI.Parameter.csAntennaPaths.inEvent)
        let count: UInt8 = try reader.read(HCI.Parameter.csStepCount.inEvent)
        var fault: DecodeError?
        steps = []
        for _ in 0..<count {
            steps.append(try HCI.CSStep(reading: &reader, antennaPaths: antennaPaths, &fault))
        }
        if let fault { throw fault }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(procedureDone)
        writer.write(subeventDone)
        writer.write(abortReasons)
        writer.write(antennaPaths)
        writer.write(UInt8(truncatingIfNeeded: steps.count))
        for step in steps {
            writer.write(step.mode)
            writer.write(step.channel)
            writer.write(UInt8(truncatingIfNeeded: step.data.count))
            writer.write(step.data)
        }
    }
}

extension HCI.CSStep {
    fileprivate init(
        reading reader: inout ByteReader, antennaPaths: UInt8, _ fault: inout DecodeError?
    ) throws(DecodeError) {
        let group = reader.begin(HCI.Parameter.csStep.inEvent)
        mode = try reader.read(HCI.Parameter.csStepMode.inEvent)
        channel = try reader.read(HCI.Parameter.csStepChannel.inEvent)
        let length: UInt8 = try reader.read(HCI.Parameter.csStepDataLength.inEvent)
        var content = try reader.slice(count: Int(length), lengthSetBy: HCI.Parameter.csStepDataLength.inEvent)
        data = content.restBytes
        let layout = Self.layout(mode: mode, length: Int(length), antennaPaths: Int(antennaPaths))
        do throws(DecodeError) {
            try content.read(layout, .event, .none, unexpected: HCI.Fields.unexpectedEventParameter)
        } catch {
            content.skipRest(HCI.Fields.unexpectedEventParameter)
            if fault == nil { fault = error }
        }
        reader.end(group)
    }

    /// The parameters of a step's data. Phase corrections of a sounding sequence are present only if configured, which
    /// the length shows. There is one tone per antenna path, and one for the extension slot.
    private static func layout(mode: UInt8, length: Int, antennaPaths: Int) -> [HCI.Parameter] {
        guard length > 0 else { return [] }
        let timing: [HCI.Parameter] = [.csPacketQuality, .csNADM, .rssi, .csTimeDifference, .antennaID]
        let phases: [HCI.Parameter] = [.csPCT1, .csPCT2]
        let tones: [HCI.Parameter] = [.csAntennaPermutation, .csTones]
        switch mode {
        case 0:
            return [.csPacketQuality, .rssi, .antennaID] + (length > 3 ? [.csMeasuredFrequencyOffset] : [])
        case 1:
            return timing + (length > 6 ? phases : [])
        case 2:
            return tones
        case 3:
            return timing + (length > 6 + 1 + 4 * (antennaPaths + 1) ? phases : []) + tones
        default:
            return []
        }
    }
}
