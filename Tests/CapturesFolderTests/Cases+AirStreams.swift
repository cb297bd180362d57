import Bluetooth
import Bytes
import Captures
import PDUTestKit
import TestKit

/// Logical transports other than connections, and packets that belong to none.
extension CaptureCase {
    static let airStreams: [CaptureCase] = [
        CaptureCase(
            name: "periodic-train-and-group",
            title: "A periodic advertising train and the isochronous group that it announces",
            shows: """
                SyncInfo in AUX_ADV_IND announces a train: its PDUs are AUX_SYNC_INDs with their event numbers, of which two
                were not heard. The third has an AuxPtr: an AUX_CHAIN_IND with the rest of the data follows. BIGInfo in the
                train announces two streams and a control channel: their access addresses follow from the Seed Access
                Address, the payload numbers from the times. The recorder says nothing of what the packets are; none of them
                is a connection's.
                """,
            source: "Core 5.4, Vol 6, Part B, 2.1.2, 2.3.4, 4.4.5 and 4.4.6", file: "capture.pcap"
        ) {
            try trainAndGroup().airPcap()
        },
        CaptureCase(
            name: "periodic-responses",
            title: "Periodic advertising with responses",
            shows: """
                The train has three subevents, which Periodic Advertising Response Timing Information in AUX_ADV_IND
                announces with the access address of the responses. Each PDU has its subevent, each response its slot.
                """,
            source: "Core 5.4, Vol 6, Part B, 2.3.4.10, 4.4.2.12 and CSS, Part A, 1.24", file: "capture.pcap"
        ) {
            try responses().airPcap()
        },
        CaptureCase(
            name: "connected-stream",
            title: "A connected isochronous stream",
            shows: """
                LL_CIS_IND announces a stream with an access address of its own. Its PDUs have no L2CAP and no
                retransmissions of the link layer's; one event is missing. LL_CIS_TERMINATE_IND ends it.
                """,
            source: "Core 5.4, Vol 6, Part B, 2.4.2.32 to 2.4.2.35 and 2.6.1", file: "capture.pcap"
        ) {
            try connectedStream().airPcap()
        },
        CaptureCase(
            name: "streams-by-type",
            title: "Streams of which only the recorder's word is known",
            shows: """
                The PDU type of the pseudo-header says what a packet is of whose access address no PDU was heard: a
                train, a connected and a broadcast isochronous stream. No connection begins.
                """,
            source: "LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR, flags 0x0380", file: "capture.pcap"
        ) {
            try streamsByType().airPcap()
        },
        CaptureCase(
            name: "damaged-access-address",
            title: "Packets whose access addresses are damaged",
            shows: """
                An advertisement has one bit of the access address wrong, another one three bits, and its CRC is that of
                advertising; a third has an access address that no connection may have; a packet of a data channel PDU
                lies on a primary advertising channel. None of them begins a connection, and two packets with an access
                address that might be a connection's are too few.
                """,
            source: "Core 5.4, Vol 6, Part B, 1.4.1, 2.1.2 and 3.1.1", file: "capture.pcap"
        ) {
            try damagedAddresses().airPcap()
        },
        CaptureCase(
            name: "nordic-advertising-flags",
            title: "Flags of an auxiliary PDU in the header of an ADV_IND",
            shows: """
                The nRF Sniffer's flags say AUX_CHAIN_IND, and the PDU is an ADV_IND: only PDU type 7 has auxiliary types.
                The name is read.
                """,
            source: "Core 5.4, Vol 6, Part B, 2.3.1.1 and 2.3.4", file: "capture.pcap"
        ) {
            let air = AirSession()
            air.advertise(
                Cast.puck, [.flags([.leGeneralDiscoverable, .bredrNotSupported]), .completeLocalName("Puck")],
                channel: 12)
            // Bit 1 of the flags, below the bits of the auxiliary type.
            return air.recording.nordicPcap(advertisingFlags: 0x02)
        },
        CaptureCase(
            name: "auxiliary-data-overrun",
            title: "Advertising data of auxiliary PDUs that are too long",
            shows: """
                The service data in AUX_ADV_IND, then in a train, is longer than what is left of the data: `check` fails
                CORE-ADV-01, as it does for the same bytes in ADV_IND.
                """,
            source: "Core 5.4, Vol 3, Part C, 11", file: "capture.pcap"
        ) {
            let air = AirSession()
            air.advertiseExtended(
                Cast.puck, hex("020106 0916faff 010b03 5f"), syncInfo: AirTrain().syncInfo(offset: 7500, event: 1))
            air.periodic(AirTrain(), hex("0916faff 010b03 5f"))
            return try air.recording.airPcap()
        },
    ]

    private static func trainAndGroup() -> Recording {
        let air = AirSession()
        air.recording.pace = 0
        let start = air.recording.time.nanoseconds
        func at(_ microseconds: Int64) { air.recording.time = Timestamp(nanoseconds: start + microseconds * 1000) }
        let train = AirTrain()
        air.advertiseExtended(
            Cast.puck, hex("020106 0509 50 75636b"), syncInfo: train.syncInfo(offset: 30_000, event: 7))
        at(30_000)
        air.periodic(train, hex("0416 0f18 63"))
        at(130_000)
        air.periodic(train, hex("0416 0f18 62"))
        // Events 9 and 10 are missing.
        at(430_000)
        let pointer = LL.AuxPointer(channelBits: 5, offsetBits: 20)
        air.periodic(train, hex("0716 0f18 61"), auxPointer: pointer)
        at(430_600)
        air.periodic(train, hex("010203"))
        let group = GAP.BIGInfo.group(streams: 2, offset: 3000, payload: 500)
        at(530_000)
        air.periodic(train, [], controllerData: AirSession.structure(.bigInfo, group.encoded))
        for event in 0..<3 as Range<Int64> {
            for stream in 1...2 as ClosedRange<UInt8> {
                for subevent in 0..<2 as Range<Int64> {
                    at(533_000 + 10_000 * event + 2400 * Int64(stream - 1) + 1200 * subevent)
                    air.broadcast(group, stream, [UInt8(event), stream, 0xAB])
                }
            }
        }
        at(558_000)
        // BIG_TERMINATE_IND, which fits both the group's control channel and a stream.
        air.broadcast(group, 0, hex("01 16 0a00"), llid: 3)
        return air.recording
    }

    private static func responses() -> Recording {
        let air = AirSession()
        air.recording.pace = 0
        let start = air.recording.time.nanoseconds
        func at(_ microseconds: Int64) { air.recording.time = Timestamp(nanoseconds: start + microseconds * 1000) }
        var train = AirTrain()
        let timing = GAP.PeriodicResponseTiming(
            accessAddress: 0x4D3A_92C5, subeventCount: 3, subeventInterval: 16, responseSlotDelay: 4,
            responseSlotSpacing: 16)
        train.responses = timing
        air.advertiseExtended(
            Cast.puck, hex("020106"), syncInfo: train.syncInfo(offset: 30_000, event: 65_535),
            controllerData: AirSession.structure(.periodicResponseTiming, timing.encoded))
        for event in 0..<2 as Range<Int64> {
            for subevent in 0..<3 as Range<Int64> {
                let time = 30_000 + 100_000 * event + 20_000 * subevent
                at(time)
                air.periodic(train, hex("0416 0f18 63"))
                if subevent == 1 { continue }
                // Slots 0 and 2.
                at(time + 5000)
                air.periodic(train, hex("0309 4131"), isResponse: true)
                at(time + 9000)
                air.periodic(train, hex("0309 4132"), isResponse: true)
            }
        }
        return air.recording
    }

    private static func connectedStream() -> Recording {
        let air = AirSession()
        air.advertise(Cast.puck, [.flags([.leGeneralDiscoverable, .bredrNotSupported]), .completeLocalName("Puck")])
        let link = air.connect(Cast.phone, to: Cast.puck)
        let address = LL.AccessAddress(rawValue: 0x6B1D_93A4)
        link.control(
            LL.CISReq(
                cigID: 1, cisID: 2, centralToPeripheral: LL.PHYs(rawValue: 1),
                peripheralToCentral: LL.PHYs(rawValue: 1), centralSDUBits: 40, peripheralSDUBits: 0,
                centralSDUInterval: 10_000, peripheralSDUInterval: 10_000,
                centralMaxPDU: 40, peripheralMaxPDU: 0, subeventCount: 2, subInterval: 1500, burstNumbers: 1,
                centralFlushTimeout: 1, peripheralFlushTimeout: 1, isoInterval: 8, offsetMinimum: 1000,
                offsetMaximum: 2000, connectionEventCount: 6), .sent)
        link.control(LL.CISRsp(offsetMinimum: 1000, offsetMaximum: 2000, connectionEventCount: 6), .received)
        link.control(
            LL.CISInd(
                accessAddress: address, offset: 1500, cigSyncDelay: 3000, cisSyncDelay: 3000, connectionEventCount: 6),
            .sent)
        link.acknowledge(.received)
        air.recording.pace = 0
        let start = air.recording.time.nanoseconds
        func at(_ microseconds: Int64) { air.recording.time = Timestamp(nanoseconds: start + microseconds * 1000) }
        for event in [0, 1, 3] as [Int64] {
            at(1500 + 10_000 * event)
            air.isochronous(address, of: link, [UInt8(event), 1, 2, 3], sequenceNumber: UInt16(event & 1))
            at(1900 + 10_000 * event)
            air.isochronous(address, of: link, [], isNull: true)
        }
        at(60_000)
        link.control(
            LL.CISTerminateInd(cigID: 1, cisID: 2, errorCode: .remoteUserTerminatedConnection), .sent)
        at(61_000)
        link.acknowledge(.received)
        return air.recording
    }

    private static func streamsByType() -> Recording {
        let air = AirSession()
        func record(_ pdu: [UInt8], _ address: UInt32, traffic: UInt16, auxiliary: UInt16 = 0) {
            air.record(
                pdu, address: LL.AccessAddress(rawValue: address), crcInit: 0x11_2233,
                channel: LL.Channel(rawValue: 17), traffic: traffic, auxiliary: auxiliary)
        }
        record(hex("07 07 0100 0416 0f18 63"), 0x71C4_9A2B, traffic: 1, auxiliary: 2)
        record(hex("00 03 010203"), 0x6B1D_93A4, traffic: 4)
        record(hex("40 00"), 0x6B1D_93A4, traffic: 5)
        record(hex("00 03 010203"), 0x85E3_2493, traffic: 6)
        return air.recording
    }

    private static func damagedAddresses() -> Recording {
        let air = AirSession()
        let payload = LL.UndirectedAdvertising(advertiser: Cast.puck.address, data: hex("020106 0509 5075636b")).encoded
        let pdu = LL.AdvertisingHeader(type: .advInd, txAdd: .random, length: payload.count).encoded + payload
        func record(_ pdu: [UInt8], _ address: UInt32, _ crcInit: UInt32 = LL.advertisingCRCInit, channel: UInt8) {
            air.record(
                pdu, address: LL.AccessAddress(rawValue: address), crcInit: crcInit,
                channel: LL.Channel(rawValue: channel), traffic: 0)
        }
        record(pdu, 0x8E89_BED6, channel: 37)
        record(pdu, 0x8E89_FED6, channel: 37)
        record(pdu, 0x8E99_FED7, channel: 12)
        record(hex("01 00"), 0x0000_0000, 0x11_2233, channel: 12)
        record(hex("02 07 0300 0400 1b0300"), 0x50C2_1A97, 0x11_2233, channel: 38)
        record(hex("0d 00"), 0x50C2_1A97, 0x11_2233, channel: 12)
        record(hex("0a 02 0a0b"), 0x50C2_1A97, 0x44_5566, channel: 12)
        return air.recording
    }
}
