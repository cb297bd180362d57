public import Bytes

/// Control PDUs of the Periodic Advertising Sync Transfer procedure.
extension LL {
    /// Location and timing of a periodic advertising train relative to this connection's events (Vol 6, Part B,
    /// 2.4.2.29).
    public struct PeriodicSync: WireFormat, Hashable {
        /// Number chosen by the host.
        public var id: UInt16
        public var syncInfo: SyncInfo
        /// Connection event that the offset refers to.
        public var connectionEventCount: UInt16
        /// Counter of the last periodic event in which the sender received the train.
        public var lastEventCounter: UInt16
        /// Set ID in bits 0 to 3, address type in 4, sleep clock accuracy in 5 to 7.
        public var setBits: UInt8
        public var phy: PHYs
        public var advertiser: Address
        /// Connection event in which the offset was measured.
        public var syncEventCount: UInt16

        public init(
            id: UInt16, syncInfo: SyncInfo, connectionEventCount: UInt16, lastEventCounter: UInt16, setBits: UInt8,
            phy: PHYs, advertiser: Address, syncEventCount: UInt16
        ) {
            self.id = id
            self.syncInfo = syncInfo
            self.connectionEventCount = connectionEventCount
            self.lastEventCounter = lastEventCounter
            self.setBits = setBits
            self.phy = phy
            self.advertiser = advertiser
            self.syncEventCount = syncEventCount
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            id = try reader.read(Fields.syncID)
            syncInfo = try SyncInfo(reading: &reader, names: Fields.controlSyncInfo)
            connectionEventCount = try reader.read(Fields.syncConnectionEventCount)
            lastEventCounter = try reader.read(Fields.syncLastEventCounter)
            setBits = try reader.readBits(Fields.syncSetBits)
            phy = try reader.read(Fields.phys)
            reader.recordBits(phy.rawValue, Fields.preferredPHYBits)
            advertiser = try reader.readAddress(Fields.advertisingAddress)
            syncEventCount = try reader.read(Fields.syncEventCount)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(id)
            syncInfo.write(to: &writer)
            writer.write(connectionEventCount)
            writer.write(lastEventCounter)
            writer.write(setBits)
            writer.write(phy)
            writer.write(advertiser)
            writer.write(syncEventCount)
        }
    }

    /// Transfers synchronization to a periodic advertising train (Vol 6, Part B, 2.4.2.29).
    public struct PeriodicSyncInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.periodicSyncInd

        public var sync: PeriodicSync

        public init(sync: PeriodicSync) {
            self.sync = sync
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            sync = try PeriodicSync(reading: &reader)
        }

        public func write(to writer: inout ByteWriter) {
            sync.write(to: &writer)
        }
    }

    /// Transfers synchronization to a periodic advertising train with responses (Vol 6, Part B, 2.4.2.43).
    public struct PeriodicSyncWRInd: ControlPDU, Hashable {
        public static let opcode = ControlOpcode.periodicSyncWRInd

        public var sync: PeriodicSync
        /// Access address of the responses.
        public var responseAccessAddress: AccessAddress
        public var subeventCount: UInt8
        /// In 1.25 ms.
        public var subeventInterval: UInt8
        /// In 1.25 ms.
        public var responseSlotDelay: UInt8
        /// In 0.125 ms.
        public var responseSlotSpacing: UInt8

        public init(
            sync: PeriodicSync, responseAccessAddress: AccessAddress, subeventCount: UInt8, subeventInterval: UInt8,
            responseSlotDelay: UInt8, responseSlotSpacing: UInt8
        ) {
            self.sync = sync
            self.responseAccessAddress = responseAccessAddress
            self.subeventCount = subeventCount
            self.subeventInterval = subeventInterval
            self.responseSlotDelay = responseSlotDelay
            self.responseSlotSpacing = responseSlotSpacing
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            sync = try PeriodicSync(reading: &reader)
            responseAccessAddress = try reader.read(Fields.responseAccessAddress)
            subeventCount = try reader.read(Fields.subeventCount)
            subeventInterval = try reader.read(Fields.subeventInterval)
            responseSlotDelay = try reader.read(Fields.responseSlotDelay)
            responseSlotSpacing = try reader.read(Fields.responseSlotSpacing)
        }

        public func write(to writer: inout ByteWriter) {
            sync.write(to: &writer)
            writer.write(responseAccessAddress)
            writer.write(subeventCount)
            writer.write(subeventInterval)
            writer.write(responseSlotDelay)
            writer.write(responseSlotSpacing)
        }
    }
}
