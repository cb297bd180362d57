public import Bytes

extension HCI {
    /// Reports received legacy advertising PDUs (Vol 4, Part E, 7.7.65.2).
    public struct LEAdvertisingReport: LEEvent, Hashable {
        public static let subevent = LESubevent.advertisingReport

        /// One advertising PDU.
        public struct Report: Hashable, Sendable {
            /// 0 ADV_IND, 1 ADV_DIRECT_IND, 2 ADV_SCAN_IND, 3 ADV_NONCONN_IND, 4 SCAN_RSP.
            public var eventType: UInt8
            public var addressType: AddressType
            public var address: Address
            /// AD structures, at most 31 bytes.
            public var data: [UInt8]
            /// −127 to 20 dBm; 127 if unavailable.
            public var rssi: Int8

            public init(eventType: UInt8, addressType: AddressType, address: Address, data: [UInt8], rssi: Int8) {
                self.eventType = eventType
                self.addressType = addressType
                self.address = address
                self.data = data
                self.rssi = rssi
            }
        }

        public var reports: [Report]

        public init(reports: [Report]) {
            self.reports = reports
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            self = try Self(reading: &reader, hooks: .none)
        }

        public init(reading reader: inout ByteReader, hooks: Hooks) throws(DecodeError) {
            var faults: [DecodeError] = []
            reports = []
            for _ in 0..<(try Self.readCount(&reader)) {
                let group = reader.begin(Parameter.leReport.inEvent)
                var report = try Self.readHead(&reader)
                report.data = try reader.readReportData(hooks, &faults)
                report.rssi = try reader.read(Parameter.rssi.inEvent)
                reader.end(group)
                reports.append(report)
            }
            if let fault = faults.first { throw fault }
        }

        /// Reads the number of reports that follow.
        public static func readCount(_ reader: inout ByteReader) throws(DecodeError) -> UInt8 {
            try reader.read(Parameter.leNumReports.inEvent)
        }

        /// Reads a report without its data; `place` is the range of the data in the reader's bytes.
        public static func readOutline(
            _ reader: inout ByteReader
        ) throws(DecodeError) -> (report: Report, place: Range<Int>) {
            var report = try readHead(&reader)
            let length: UInt8 = try reader.read(Parameter.leDataLength.inEvent)
            let start = reader.offset
            try reader.skip(Parameter.advertisingData.inEvent, count: Int(length))
            report.rssi = try reader.read(Parameter.rssi.inEvent)
            return (report, start..<(start + Int(length)))
        }

        /// Reads the captured part of a report in a truncated packet; `place` is the captured range of its data. The
        /// RSSI after the data stays unknown.
        public static func readCutOutline(
            _ reader: inout ByteReader
        ) throws(DecodeError) -> (report: Report, place: Range<Int>) {
            let report = try readHead(&reader)
            let length: UInt8 = try reader.read(Parameter.leDataLength.inEvent)
            return (report, reader.offset..<(reader.offset + min(Int(length), reader.remaining)))
        }

        private static func readHead(_ reader: inout ByteReader) throws(DecodeError) -> Report {
            let eventType: UInt8 = try reader.read(Parameter.leAdvertisingEventType.inEvent)
            let addressType = try reader.read(Parameter.lePeerAddressType.inEvent, as: AddressType.self)
            let address = try reader.readAddress(Parameter.bdAddr.inEvent)
            return Report(eventType: eventType, addressType: addressType, address: address, data: [], rssi: 127)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt8(truncatingIfNeeded: reports.count))
            for report in reports {
                writer.write(report.eventType)
                writer.write(report.addressType)
                writer.write(report.address)
                writer.write(UInt8(truncatingIfNeeded: report.data.count))
                writer.write(report.data)
                writer.write(report.rssi)
            }
        }
    }

    /// Reports received legacy and extended advertising PDUs (Vol 4, Part E, 7.7.65.13).
    public struct LEExtendedAdvertisingReport: LEEvent, Hashable {
        public static let subevent = LESubevent.extendedAdvertisingReport

        /// One advertising PDU, or a part of one with long data.
        public struct Report: Hashable, Sendable {
            /// Bits: 0 connectable, 1 scannable, 2 directed, 3 scan response, 4 legacy; 5 and 6: 0 complete, 1 more
            /// data to come, 2 data truncated.
            public var eventType: UInt16
            public var addressType: AddressType
            public var address: Address
            public var primaryPHY: PHY
            /// 0 if there were no packets on a secondary channel.
            public var secondaryPHY: PHY
            /// Advertising SID, 0 to 15; 0xFF for none.
            public var sid: UInt8
            /// −127 to 20 dBm; 127 if unavailable.
            public var txPower: Int8
            /// −127 to 20 dBm; 127 if unavailable.
            public var rssi: Int8
            /// In 1.25 ms; 0 for no periodic advertising.
            public var periodicInterval: UInt16
            /// Target of directed advertising.
            public var directType: AddressType
            public var direct: Address
            /// AD structures, or a fragment of them, at most 229 bytes.
            public var data: [UInt8]

            public init(
                eventType: UInt16, addressType: AddressType, address: Address, primaryPHY: PHY = .le1M,
                secondaryPHY: PHY = PHY(rawValue: 0), sid: UInt8 = 0xFF, txPower: Int8 = 127, rssi: Int8,
                periodicInterval: UInt16 = 0, directType: AddressType = .publicDevice,
                direct: Address = Address(value: 0), data: [UInt8]
            ) {
                self.eventType = eventType
                self.addressType = addressType
                self.address = address
                self.primaryPHY = primaryPHY
                self.secondaryPHY = secondaryPHY
                self.sid = sid
                self.txPower = txPower
                self.rssi = rssi
                self.periodicInterval = periodicInterval
                self.directType = directType
                self.direct = direct
                self.data = data
            }
        }

        public var reports: [Report]

        public init(reports: [Report]) {
            self.reports = reports
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            self = try Self(reading: &reader, hooks: .none)
        }

        public init(reading reader: inout ByteReader, hooks: Hooks) throws(DecodeError) {
            var faults: [DecodeError] = []
            reports = []
            for _ in 0..<(try Self.readCount(&reader)) {
                let group = reader.begin(Parameter.leReport.inEvent)
                reports.append(try Report(reading: &reader, hooks, &faults))
                reader.end(group)
            }
            if let fault = faults.first { throw fault }
        }

        /// Reads the number of reports that follow.
        public static func readCount(_ reader: inout ByteReader) throws(DecodeError) -> UInt8 {
            try reader.read(Parameter.leNumReports.inEvent)
        }

        /// Reads the advertiser of a report in a truncated packet; `data` is the captured range of its data.
        public static func readCutOutline(
            _ reader: inout ByteReader
        ) throws(DecodeError) -> (addressType: AddressType, address: Address, data: Range<Int>) {
            let (start, end) = (reader.offset, reader.offset + reader.remaining)
            let _: UInt16 = try reader.read(Parameter.leExtendedEventType.inEvent)
            let type = try reader.read(Parameter.lePeerAddressType.inEvent, as: AddressType.self)
            let address = try reader.readAddress(Parameter.bdAddr.inEvent)
            return (type, address, min(start + Report.dataOffset, end)..<end)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(UInt8(truncatingIfNeeded: reports.count))
            for report in reports { report.write(to: &writer) }
        }
    }
}

extension HCI {
    /// Status of a report's data: whether more data follow (Vol 4, Part E, 7.7.65.13).
    public enum DataStatus: UInt8, Sendable {
        case complete
        /// A later report continues the data.
        case moreToCome
        /// More data exist, but the controller did not receive them.
        case truncated
    }
}

extension HCI.LEExtendedAdvertisingReport {
    /// Offset of each report's data in an event whose parameters after the subevent code begin at `start`.
    public func dataOffsets(from start: Int) -> [Int] {
        var end = start + 1
        return reports.map { report in
            let offset = end + Report.dataOffset
            end = offset + report.data.count
            return offset
        }
    }
}

extension HCI.LEExtendedAdvertisingReport.Report {
    /// Bytes of a report before its data, up to and including the data length.
    fileprivate static let dataOffset = 24

    public var dataStatus: HCI.DataStatus { HCI.DataStatus(rawValue: UInt8(eventType >> 5 & 3)) ?? .truncated }
    public var isScanResponse: Bool { eventType & 0x08 != 0 }

    fileprivate init(
        reading reader: inout ByteReader, _ hooks: HCI.Hooks, _ faults: inout [DecodeError]
    ) throws(DecodeError) {
        eventType = try reader.read(HCI.Parameter.leExtendedEventType.inEvent)
        reader.recordBits(eventType, HCI.Parameter.leExtendedEventType.parts(HCI.Side.event))
        addressType = try reader.read(HCI.Parameter.lePeerAddressType.inEvent)
        address = try reader.readAddress(HCI.Parameter.bdAddr.inEvent)
        primaryPHY = try reader.read(HCI.Parameter.primaryPHY.inEvent)
        secondaryPHY = try reader.read(HCI.Parameter.secondaryPHY.inEvent)
        sid = try reader.read(HCI.Parameter.advertisingSID.inEvent)
        txPower = try reader.read(HCI.Parameter.txPower.inEvent)
        rssi = try reader.read(HCI.Parameter.rssi.inEvent)
        periodicInterval = try reader.read(HCI.Parameter.periodicInterval.inEvent)
        directType = try reader.read(HCI.Parameter.directAddressType.inEvent)
        direct = try reader.readAddress(HCI.Parameter.directAddress.inEvent)
        data = try reader.readReportData(hooks, &faults)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(eventType)
        writer.write(addressType)
        writer.write(address)
        writer.write(primaryPHY)
        writer.write(secondaryPHY)
        writer.write(sid)
        writer.write(txPower)
        writer.write(rssi)
        writer.write(periodicInterval)
        writer.write(directType)
        writer.write(direct)
        writer.write(UInt8(truncatingIfNeeded: data.count))
        writer.write(data)
    }
}

extension ByteReader {
    /// Reads a length and advertising data of that length. A fault in the data is appended to `faults`, and reading
    /// continues.
    @_lifetime(self: copy self)
    fileprivate mutating func readReportData(
        _ hooks: HCI.Hooks, _ faults: inout [DecodeError]
    ) throws(DecodeError) -> [UInt8] {
        let length: UInt8 = try read(HCI.Parameter.leDataLength.inEvent)
        var data = try slice(count: Int(length), lengthSetBy: HCI.Parameter.leDataLength.inEvent)
        let bytes = data.restBytes
        if let fault = data.readAdvertisingData(HCI.Parameter.advertisingData.inEvent, hooks) { faults.append(fault) }
        return bytes
    }
}
