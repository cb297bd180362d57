package import Bluetooth
import Bytes

/// A periodic advertising train with the parameters that it announces.
package struct AirTrain: Sendable {
    package var address = LL.AccessAddress(rawValue: 0x71C4_9A2B)
    package var crcInit: UInt32 = 0x12_3456
    /// In units of 1.25 ms.
    package var interval: UInt16 = 80
    /// Access address and timing of the responses; nil for a train without responses.
    package var responses: GAP.PeriodicResponseTiming?

    package init() {}

    /// SyncInfo whose next event begins after `offset` µs and has the number `event`.
    package func syncInfo(offset: UInt16, event: UInt16) -> LL.SyncInfo {
        LL.SyncInfo(
            offsetBits: offset / 30, interval: interval, channelMap: .all,
            sleepClockAccuracy: LL.SleepClockAccuracy(rawValue: 5), accessAddress: address, crcInit: crcInit,
            eventCounter: event)
    }
}

extension GAP.BIGInfo {
    /// A BIG of unframed streams whose next event begins after `offset` µs with the payload number `payload`: an
    /// interval of 10 ms, subevents of 1.2 ms, two of them with one payload.
    package static func group(
        streams: UInt32, offset: UInt32, payload: UInt64, seed: UInt32 = 0x78E5_2493, isEncrypted: Bool = false
    ) -> Self {
        Self(
            offsetBits: offset / 30 | 8 << 15 | streams << 27, subeventBits: 2 | 1 << 5 | 1200 << 8,
            spacingBits: 2400 | 2 << 20, maxPDU: 40, reserved: 0, seedAccessAddress: seed,
            sduBits: 10_000 | 40 << 20, baseCRCInit: 0x1B2C, channelBits: ChannelMap.all.bits, counterBits: payload,
            encryption: isEncrypted
                ? Encryption(
                    initializationVector: [UInt8](repeating: 1, count: 8),
                    sessionKeyDiversifier: [UInt8](repeating: 2, count: 16)) : nil)
    }
}

extension AirSession {
    /// An AD structure, for additional controller advertising data.
    package static func structure(_ type: GAP.DataType, _ value: [UInt8]) -> [UInt8] {
        [UInt8(value.count + 1), type.rawValue] + value
    }

    /// Records an extended advertising PDU on a general-purpose channel. `auxiliary` is 0 for AUX_ADV_IND, 1 for
    /// AUX_CHAIN_IND, 2 for AUX_SYNC_IND, 3 for AUX_SCAN_RSP, and nil where the pseudo-header does not state the type.
    package func extended(
        _ pdu: LL.ExtendedAdvertising, auxiliary: UInt16?, channel: UInt8 = 11,
        address: LL.AccessAddress = .advertising, crcInit: UInt32 = LL.advertisingCRCInit
    ) {
        let payload = pdu.encoded
        let header = LL.AdvertisingHeader(type: .advExtInd, txAdd: .random, length: payload.count)
        record(
            header.encoded + payload, address: address, crcInit: crcInit, channel: LL.Channel(rawValue: channel),
            traffic: auxiliary == nil ? 0 : 1, auxiliary: auxiliary ?? 0)
    }

    /// Records ADV_EXT_IND and the AUX_ADV_IND that it points to.
    package func advertiseExtended(
        _ device: DeviceAddress, _ data: [UInt8], syncInfo: LL.SyncInfo? = nil, controllerData: [UInt8] = []
    ) {
        let info = LL.AdvertisingDataInfo(rawValue: 0x0123)
        let pointer = LL.AuxPointer(channelBits: 11, offsetBits: 16)
        let primary = LL.ExtendedAdvertising(mode: .nonconnectableNonscannable, dataInfo: info, auxPointer: pointer)
            .encoded
        advertising(LL.AdvertisingHeader(type: .advExtInd, length: primary.count), primary)
        extended(
            LL.ExtendedAdvertising(
                mode: .nonconnectableNonscannable, advertiser: device.address, dataInfo: info, syncInfo: syncInfo,
                controllerData: controllerData, data: data), auxiliary: 0)
    }

    /// Records a PDU of a train, or with `isResponse` a response to one. The pseudo-header does not state its type.
    package func periodic(
        _ train: AirTrain, _ data: [UInt8], controllerData: [UInt8] = [], auxPointer: LL.AuxPointer? = nil,
        isResponse: Bool = false
    ) {
        let address = isResponse ? train.responses.map { LL.AccessAddress(rawValue: $0.accessAddress) } : nil
        extended(
            LL.ExtendedAdvertising(
                mode: .nonconnectableNonscannable, auxPointer: auxPointer, controllerData: controllerData, data: data),
            auxiliary: nil, channel: 5, address: address ?? train.address, crcInit: train.crcInit)
    }

    /// Records a PDU of a broadcast isochronous stream, or of the group's control channel (stream 0).
    package func broadcast(_ group: GAP.BIGInfo, _ stream: UInt8, _ payload: [UInt8], llid: UInt16 = 0) {
        let header = LL.BroadcastIsochronousHeader(bits: llid | UInt16(payload.count) << 8)
        record(
            header.encoded + payload, address: LL.AccessAddress(seed: group.seedAccessAddress, stream: stream),
            crcInit: UInt32(group.baseCRCInit) << 8 | UInt32(stream), channel: LL.Channel(rawValue: 9), traffic: 0)
    }

    /// Records a PDU of a connected isochronous stream of a connection. The pseudo-header does not state its type.
    package func isochronous(
        _ address: LL.AccessAddress, of link: AirLink, _ payload: [UInt8], sequenceNumber: UInt16 = 0,
        isNull: Bool = false
    ) {
        let header = LL.ConnectedIsochronousHeader(
            bits: sequenceNumber << 3 | (isNull ? 0x40 : 0) | UInt16(payload.count) << 8)
        record(
            header.encoded + payload, address: address, crcInit: link.crcInit, channel: LL.Channel(rawValue: 20),
            traffic: 0)
    }
}
