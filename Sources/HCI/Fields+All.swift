package import Bytes

extension HCI.Fields {
    /// All of them: of the headers, of every row, and of the structs that rows point at. A name may stand for several
    /// fields, where the same parameter counts in another unit elsewhere.
    package static let all: [Field] = {
        var collection = Collection()
        collection.add(headers)
        collection.add(HCI.Parameter.inStructs, .command)
        collection.add(HCI.Parameter.inStructs, .event)
        for row in HCI.CommandRow.table.rows {
            collection.add(row.parameters, .command)
            if case .returns(let layout) = row.answer { collection.add(layout, .event) }
        }
        for row in HCI.EventRow.table.rows { collection.add(row.parameters, .event) }
        for row in HCI.LEEventRow.table.rows { collection.add(row.parameters, .event) }
        return collection.fields
    }()

    /// Fields, each once.
    private struct Collection {
        private(set) var fields: [Field] = []
        private var seen: Set<ObjectIdentifier> = []

        mutating func add(_ new: [Field]) {
            for field in new where seen.insert(ObjectIdentifier(field)).inserted { fields.append(field) }
        }

        mutating func add(_ layout: [HCI.Parameter], _ side: HCI.Side) {
            for parameter in layout { add(parameter, side) }
        }

        private mutating func add(_ parameter: HCI.Parameter, _ side: HCI.Side) {
            switch parameter {
            case .parameters: return
            case .bits(_, _, let parts): add([parameter.name[side]] + parts.map { $0[side] })
            case .sized(let length, _, let name, _, _): add([length[side], name[side]])
            case .group(let name, let layout):
                add([name[side]])
                add(layout, side)
            case .list(let count, let element, let layout):
                add([count[side]] + (element.map { [$0[side]] } ?? []))
                add(layout, side)
            case .perBit(let name, let parts, let element, let layout):
                add([name[side]] + parts.map { $0[side] } + [element[side]])
                add(layout, side)
            case .choice(let name, let cases):
                add([name[side]])
                for code in cases.keys.sorted() { add(cases[code] ?? [], side) }
            case .repeated(let element, let layout):
                add(element.map { [$0[side]] } ?? [])
                add(layout, side)
            case .integer, .bytes, .rest, .text, .advertisingData: add([parameter.name[side]])
            }
        }
    }
}

extension HCI.Parameter {
    /// The parameters that structs read, and those that the reader records by itself.
    fileprivate static let inStructs: [Self] = [
        status, reason, connectionHandle, numHandles, numCompletedPackets, bdAddr, role, padding, leAddressType,
        lePeerAddressType, leOwnAddressType, leDataLength, leScanInterval, leScanWindow, leScanType,
        leScanFilterPolicy, leScanEnable, leFilterDuplicates, leInitiatorFilterPolicy, leConnIntervalMin,
        leConnIntervalMax, leMaxLatency, leConnInterval, leSupervisionTimeout, leMinCELength, leMaxCELength,
        leClockAccuracy, lePeerRPA, leLocalRPA, leTxOctets, leTxTime, maxTxOctets, maxTxTime, maxRxOctets, maxRxTime,
        leRandomNumber, leEncryptedDiversifier, leLongTermKey, leTxPHY, leRxPHY, advertisingHandle, syncHandle,
        advertisingSID, advertisingData, scanResponseData, leAclDataPacketLength, leTotalNumAclDataPackets,
        leNumReports, leReport, leAdvertisingEventType, leExtendedEventType, leRSSI, primaryPHY, secondaryPHY, txPower,
        periodicInterval, directAddressType, directAddress, leAdvertisingIntervalMin, leAdvertisingIntervalMax,
        leAdvertisingType, leAdvertisingChannelMap, leAdvertisingFilterPolicy, leAdvertisingEnable, linkType,
        encryptionMode, encryptionEnable, eventMask, leEventMask,
    ]
}
