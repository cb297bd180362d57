import Bluetooth
import Bytes
import Captures
import TestKit

/// Handles and UUIDs of a puck's Aquavate service.
private enum Puck {
    static let state: Handle = 27
    static let command: Handle = 32
    static let sync: Handle = 34
    static let drinks: Handle = 36
    static let descriptors: [Handle] = [28, 37, 42, 45]

    /// Value handle, properties and number of each characteristic.
    static let characteristics: [(value: Handle, properties: GATT.Properties, number: UInt8)] = [
        (27, [.read, .notify], 1), (30, [.read, .write], 2), (32, .write, 5), (34, [.read, .write], 3),
        (36, [.read, .notify], 4), (39, [.read, .write], 6), (41, [.read, .notify], 7), (44, [.read, .notify], 8),
    ]

    /// The service is number 0; its bytes spell "ouakvate-".
    static func uuid(_ number: UInt8) -> UUID {
        UUID(value: 0x6F75_616B_7661_7465_2D00_0000_0000_0000 | UInt128(number))
    }
}

// MARK: - Connecting and disconnecting

extension PuckVisit {
    mutating func advertise() {
        let advertising = GAP.AdvertisingData([
            .flags(GAP.Flags(rawValue: 0x06)), .serviceUUIDs16([0x180F]), .serviceUUIDs128([Puck.uuid(0)]),
            .connectionIntervalRange(6, 6),
        ])
        let scanResponse = GAP.AdvertisingData([.completeLocalName(name)])
        wait(1_000_000..<1_010_000)
        for (type, data) in [(0, advertising), (4, scanResponse)] as [(UInt8, GAP.AdvertisingData)] {
            event(
                HCI.LEAdvertisingReport(reports: [
                    .init(
                        eventType: type, addressType: .publicDevice, address: address, data: data.encoded,
                        rssi: Int8.random(in: -95..<(-40), using: &random))
                ]))
        }
    }

    mutating func connect() {
        command(
            HCI.LECreateConnection(
                scanInterval: 96, scanWindow: 48, peerType: .publicDevice, peer: address, ownType: .publicDevice,
                timing: .init(intervalMin: 24, intervalMax: 40, supervisionTimeout: 600)))
        event(HCI.CommandStatus(status: .success, opcode: .leCreateConnection))
        wait(100_000..<300_000)
        event(
            HCI.LEConnectionComplete(
                handle: handle, role: .central, peerType: .publicDevice, peer: address, interval: 24, latency: 0,
                supervisionTimeout: 600))
        ask(ATT.ExchangeMTURequest(clientRxMTU: 517), ATT.ExchangeMTUResponse(serverRxMTU: 247))
    }

    mutating func discover() {
        func short(_ start: Handle, _ end: Handle, _ uuid: UUID) -> ATT.ReadByGroupTypeResponse.Group {
            .init(start, end, uuid)
        }
        ask(
            ATT.ReadByGroupTypeRequest(start: 1, end: 0xFFFF, type: .primaryService),
            ATT.ReadByGroupTypeResponse(groups: [
                short(1, 7, 0x1800), short(8, 11, 0x1801), short(12, 20, 0x180A), short(21, 24, 0x180F),
            ]))
        ask(
            ATT.ReadByGroupTypeRequest(start: 25, end: 0xFFFF, type: .primaryService),
            ATT.ReadByGroupTypeResponse(groups: [.init(25, 45, Puck.uuid(0))]))
        ask(
            ATT.ReadByGroupTypeRequest(start: 46, end: 0xFFFF, type: .primaryService),
            ATT.ErrorResponse(requestOpcode: .readByGroupTypeRequest, handle: 46, errorCode: .attributeNotFound))
        ask(
            ATT.ReadByTypeRequest(start: 25, end: 45, type: .characteristic),
            ATT.ReadByTypeResponse(
                entries: Puck.characteristics.map {
                    let declaration = GATT.CharacteristicDeclaration(
                        properties: $0.properties, valueHandle: $0.value, type: Puck.uuid($0.number))
                    return .init(handle: Handle($0.value.rawValue - 1), value: declaration.encoded)
                }))
        ask(
            ATT.ReadByTypeRequest(start: 44, end: 45, type: .characteristic),
            ATT.ErrorResponse(requestOpcode: .readByTypeRequest, handle: 44, errorCode: .attributeNotFound))
    }

    mutating func subscribe() {
        for descriptor in Puck.descriptors {
            ask(
                ATT.FindInformationRequest(start: descriptor, end: descriptor),
                ATT.FindInformationResponse(entries: [.init(handle: descriptor, type: 0x2902)]))
            write(descriptor, [1, 0])
        }
        let now = seconds
        write(
            Puck.command,
            ByteWriter.bytes {
                $0.write(0x10 as UInt8)
                $0.write(now)
            })
        readSyncControl()
    }

    mutating func disconnect() {
        command(HCI.Disconnect(handle: handle, reason: .remoteUserTerminatedConnection))
        event(HCI.CommandStatus(status: .success, opcode: .disconnect))
        wait(40_000..<80_000)
        event(HCI.DisconnectionComplete(handle: handle, reason: .connectionTerminatedByLocalHost))
    }
}

extension ATT.ReadByGroupTypeResponse.Group {
    fileprivate init(_ start: Handle, _ end: Handle, _ service: UUID) {
        self.init(handle: start, end: end, value: ByteWriter.bytes { $0.write(service) })
    }
}

extension UUID {
    fileprivate static let primaryService: UUID = 0x2800
    fileprivate static let characteristic: UUID = 0x2803
}

// MARK: - Drinking

extension PuckVisit {
    /// Seconds since 1970.
    private var seconds: UInt32 { UInt32(time.nanoseconds / 1_000_000_000) }

    /// A number of level changes, each with a notification. The phone pings the puck now and then to keep it awake.
    mutating func live(_ changes: Int) {
        for change in 0..<changes {
            wait(5_000_000..<9_000_000)
            bottle.change(at: seconds, random: &random)
            att(ATT.HandleValueNotification(handle: Puck.state, value: bottle.state(at: seconds)), .received)
            if change % 3 == 2 { write(Puck.command, [0x02, 0, 0, 0]) }
        }
    }

    /// The phone fetches the pending records, in chunks of 17.
    mutating func handOver() {
        readSyncControl()
        let records = bottle.records
        guard !records.isEmpty else { return }
        let chunks = stride(from: 0, to: records.count, by: 17).map { records[$0..<min($0 + 17, records.count)] }
        for (index, chunk) in chunks.enumerated() {
            let data = ByteWriter.bytes {
                $0.write(UInt16(index))
                $0.write(UInt16(chunks.count))
                $0.write(UInt8(chunk.count))
                $0.write(0 as UInt8)
                for record in chunk { $0.write(record) }
            }
            write(
                Puck.sync,
                index == 0 ? syncControl(records.count, command: 1, chunk: 17) : syncControl(0, command: 2, chunk: 0),
                notifies: [ATT.HandleValueNotification(handle: Puck.drinks, value: data)])
        }
        bottle.records = []
        write(
            Puck.sync, syncControl(0, command: 2, chunk: 0),
            notifies: [ATT.HandleValueNotification(handle: Puck.state, value: bottle.state(at: seconds))])
        readSyncControl()
    }

    private mutating func readSyncControl() {
        let value = syncControl(bottle.records.count, command: 0, chunk: 20)
        ask(ATT.ReadRequest(handle: Puck.sync), ATT.ReadResponse(value: value))
    }

    private func syncControl(_ count: Int, command: UInt8, chunk: UInt16) -> [UInt8] {
        ByteWriter.bytes {
            $0.write(0 as UInt16)
            $0.write(UInt16(count))
            $0.write(command)
            $0.write(0 as UInt8)
            $0.write(chunk)
        }
    }
}
