import Bluetooth

/// PHYs of connections (Vol 4, Part E, 7.8.47 to 7.8.49; Vol 6, Part B, 5.1.10).
extension VirtualController {
    func readPHY(_ command: Command) throws(Refusal) -> Returned {
        let connection = state.connections[try index(of: command.values().handle)]
        return .values([
            "connection_handle": .number(UInt64(connection.handle.rawValue)),
            "le_tx_phy": .number(UInt64(connection.phys.tx.rawValue)),
            "le_rx_phy": .number(UInt64(connection.phys.rx.rawValue)),
        ])
    }

    mutating func setDefaultPHY(_ command: Command) throws(Refusal) -> Returned {
        let phys = try wantedPHYs(try command.values())
        state.defaultPHYs = (phys.txPHYs.rawValue, phys.rxPHYs.rawValue)
        return .success
    }

    mutating func setPHY(_ command: Command) throws(Refusal) -> Returned {
        let values = try command.values()
        let index = try index(of: values.handle)
        try begin(.phys(try wantedPHYs(values)), at: index)
        return .success
    }

    /// The PHYs that a command requests, as bits; all supported PHYs if the host has no preference.
    private func wantedPHYs(_ values: CommandValues) throws(Refusal) -> LL.PHYReq {
        let anything = values.number("all_phys")
        let tx: UInt8 = anything & 1 == 1 ? possiblePHYs : values.integer("tx_phys")
        let rx: UInt8 = anything & 2 == 2 ? possiblePHYs : values.integer("rx_phys")
        if tx == 0 || rx == 0 { throw .invalidParameters }
        if (tx | rx) & ~possiblePHYs != 0 { throw .unsupported }
        return LL.PHYReq(txPHYs: LL.PHYs(rawValue: tx), rxPHYs: LL.PHYs(rawValue: rx))
    }

    /// Supported PHYs as bits: bit 0 LE 1M, bit 1 LE 2M, bit 2 LE Coded.
    private var possiblePHYs: UInt8 {
        1 | (configuration.features.contains(.phy2M) ? 2 : 0) | (configuration.features.contains(.phyCoded) ? 4 : 0)
    }

    /// Handles a PHY request: the central decides, the peripheral responds with its preferences.
    mutating func receive(_ request: LL.PHYReq, at index: Int) {
        let connection = state.connections[index]
        if connection.role == .central {
            if case .phys? = connection.procedure {
                return sendControl(
                    LL.RejectExtInd(rejectOpcode: .phyReq, errorCode: .linkLayerProcedureCollision), at: index)
            }
            decide(
                own: LL.PHYReq(
                    txPHYs: LL.PHYs(rawValue: state.defaultPHYs.tx), rxPHYs: LL.PHYs(rawValue: state.defaultPHYs.rx)),
                peer: request, at: index)
        } else {
            sendControl(
                LL.PHYRsp(
                    txPHYs: LL.PHYs(rawValue: state.defaultPHYs.tx & possiblePHYs),
                    rxPHYs: LL.PHYs(rawValue: state.defaultPHYs.rx & possiblePHYs)), at: index)
        }
    }

    /// Central: handles the peripheral's preferences.
    mutating func receive(_ response: LL.PHYRsp, at index: Int) {
        guard case .phys(let request)? = state.connections[index].procedure else { return }
        decide(own: request, peer: LL.PHYReq(txPHYs: response.txPHYs, rxPHYs: response.rxPHYs), at: index)
    }

    /// Central: selects the PHYs and announces changes.
    private mutating func decide(own: LL.PHYReq, peer: LL.PHYReq, at index: Int) {
        let current = state.connections[index].phys
        let tx = Self.best(own.txPHYs.rawValue & peer.rxPHYs.rawValue & possiblePHYs) ?? current.tx
        let rx = Self.best(own.rxPHYs.rawValue & peer.txPHYs.rawValue & possiblePHYs) ?? current.rx
        let update = LL.PHYUpdateInd(
            centralToPeripheral: tx == current.tx ? LL.PHYs(rawValue: 0) : tx.asSet,
            peripheralToCentral: rx == current.rx ? LL.PHYs(rawValue: 0) : rx.asSet, instant: 0)
        sendControl(update, at: index)
        // Without a change, there is no instant to wait for.
        if update.changesNothing { finishPHYs(hasChanged: false, at: index) }
    }

    /// The fastest PHY of a set; LE Coded only if it is the only one.
    private static func best(_ phys: UInt8) -> HCI.PHY? {
        phys & 2 != 0 ? .le2M : phys & 1 != 0 ? .le1M : phys & 4 != 0 ? .leCoded : nil
    }

    /// Handles the central's PHY update. The new PHYs take effect at the instant, which the radio reports to both ends.
    mutating func receive(_ update: LL.PHYUpdateInd, at index: Int) {
        if update.changesNothing { finishPHYs(hasChanged: false, at: index) }
    }

    /// Applies a PHY update at its instant.
    mutating func apply(_ update: LL.PHYUpdateInd, at index: Int) {
        let isCentral = state.connections[index].role == .central
        let down = HCI.PHY(update.centralToPeripheral)
        let up = HCI.PHY(update.peripheralToCentral)
        if let tx = isCentral ? down : up { state.connections[index].phys.tx = tx }
        if let rx = isCentral ? up : down { state.connections[index].phys.rx = rx }
        finishPHYs(hasChanged: true, at: index)
    }

    /// Completes a PHY update. A host that requested it always gets the event, the other one only on a change.
    private mutating func finishPHYs(hasChanged: Bool, at index: Int) {
        let connection = state.connections[index]
        let isOwn = if case .phys? = connection.procedure { true } else { false }
        if isOwn || hasChanged {
            send(
                HCI.LEPHYUpdateComplete(
                    handle: connection.handle, txPHY: connection.phys.tx, rxPHY: connection.phys.rx))
        }
        if isOwn { finishProcedure(at: index) }
    }
}

extension LL.PHYUpdateInd {
    /// Whether both directions keep their PHY.
    var changesNothing: Bool { centralToPeripheral.rawValue == 0 && peripheralToCentral.rawValue == 0 }
}

extension HCI.PHY {
    /// The PHY of a set with exactly one PHY; nil for any other set.
    init?(_ phys: LL.PHYs) {
        guard phys.rawValue.nonzeroBitCount == 1 else { return nil }
        self.init(rawValue: UInt8(phys.rawValue.trailingZeroBitCount) + 1)
    }

    /// The set with only this PHY.
    fileprivate var asSet: LL.PHYs { LL.PHYs(rawValue: 1 << (rawValue - 1)) }
}
