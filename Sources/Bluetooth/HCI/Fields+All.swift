public import Bytes

extension HCI.Fields {
    /// All HCI fields: of headers, rows, and structs that rows refer to. A name may occur in several fields, where the
    /// same parameter has different units.
    public static let all: [Field] = {
        var collection = Collection()
        collection.add(headers)
        collection.add(HCI.Parameter.inCommandStructs, .command)
        collection.add(HCI.Parameter.inEventStructs, .event)
        for row in HCI.CommandRow.table.rows {
            collection.add(row.parameters, .command)
            if let layout = row.returnParameters { collection.add(layout, .event) }
        }
        for row in HCI.EventRow.table.rows { collection.add(row.parameters, .event) }
        for row in HCI.LEEventRow.table.rows { collection.add(row.parameters, .event) }
        return collection.fields
    }()

    /// A list of unique fields.
    private struct Collection {
        private(set) var fields: [Field] = []
        private var seen: Set<Field> = []

        mutating func add(_ new: [Field]) {
            for field in new where seen.insert(field).inserted { fields.append(field) }
        }

        mutating func add(_ layout: [HCI.Parameter], _ side: HCI.Side) {
            for parameter in layout { add(parameter, side) }
        }

        private mutating func add(_ parameter: HCI.Parameter, _ side: HCI.Side) {
            switch parameter {
            case .parameters: return
            case .bits(_, _, let parts): add([parameter.name[side]] + parts[side])
            case .sized(let length, _, let name, _, _): add([length[side], name[side]])
            case .group(let name, let layout):
                add([name[side]])
                add(layout, side)
            case .list(let count, let element, let layout):
                add([count[side]] + (element.map { [$0[side]] } ?? []))
                add(layout, side)
            case .perBit(let name, let parts, let element, let layout):
                add([name[side]] + parts[side] + [element[side]])
                add(layout, side)
            case .choice(let name, let cases):
                add([name[side]])
                for code in cases.keys.sorted() { add(cases[code] ?? [], side) }
            case .repeated(let element, let layout):
                add([element[side]])
                add(layout, side)
            case .integer, .bytes, .rest, .text, .advertisingData: add([parameter.name[side]])
            }
        }
    }
}

/// Parameters that only structs read, and the one that the readers record directly.
extension HCI.Parameter {
    fileprivate static let inCommandStructs: [Self] = [
        padding, connectionHandle, reason, bdAddr, leScanInterval, leScanWindow, leInitiatorFilterPolicy,
        lePeerAddressType, leOwnAddressType, leConnIntervalMin, leConnIntervalMax, leMaxLatency, leSupervisionTimeout,
        leMinCELength, leMaxCELength, leTxOctets, leTxTime, leAdvertisingIntervalMin, leAdvertisingIntervalMax,
        leAdvertisingType, leAdvertisingChannelMap, leAdvertisingFilterPolicy, leAdvertisingEnable, leDataLength,
        advertisingData, scanResponseData, leScanType, leScanFilterPolicy, leScanEnable, leFilterDuplicates, eventMask,
        leEventMask, leRandomNumber, leEncryptedDiversifier, leLongTermKey, lePeerIRK, leLocalIRK,
    ]

    fileprivate static let inEventStructs: [Self] = [
        padding, status, connectionHandle, reason, bdAddr, linkType, encryptionMode, encryptionEnable, numHandles,
        numCompletedPackets, role, lePeerAddressType, leConnInterval, leMaxLatency, leSupervisionTimeout,
        leClockAccuracy, leLocalRPA, lePeerRPA, advertisingHandle, syncHandle, leConnIntervalMin, leConnIntervalMax,
        maxTxOctets, maxTxTime, maxRxOctets, maxRxTime, leTxPHY, leRxPHY, leRandomNumber, leEncryptedDiversifier,
        leNumReports, leReport, leAdvertisingEventType, leExtendedEventType, leDataLength, advertisingData, rssi,
        primaryPHY, secondaryPHY, advertisingSID, txPower, periodicInterval, directAddressType, directAddress,
        leAclDataPacketLength, leTotalNumAclDataPackets, csConfigID, csStartEvent, csProcedureCounter,
        csFrequencyCompensation, csReferencePower, csProcedureDone, csSubeventDone, csAbortReason, csAntennaPaths,
        csStepCount, csStep, csStepMode, csStepChannel, csStepDataLength, csPacketQuality, csMeasuredFrequencyOffset,
        csNADM, csTimeDifference, csPCT1, csPCT2, antennaID, csAntennaPermutation, csTones,
    ]
}
