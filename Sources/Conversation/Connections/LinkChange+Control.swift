import Bluetooth
import Bytes
import Captures
import PluginKit

extension LinkChange {
    /// The change that a control PDU makes, from its instant on; nil if it makes none. `request` is the last
    /// LL_LENGTH_REQ.
    init?(
        _ opcode: LL.ControlOpcode, _ parameters: ArraySlice<UInt8>, _ direction: Direction,
        after request: (direction: Direction, lengths: LL.DataLengths)?
    ) {
        switch opcode {
        case .connectionUpdateInd:
            guard let update = try? LL.ConnectionUpdateInd(decoding: Array(parameters)) else { return nil }
            self = .timing(
                ConnectionParameters(interval: update.interval, latency: update.latency, timeout: update.timeout))
        case .subrateInd:
            guard let change = try? LL.SubrateInd(decoding: Array(parameters)) else { return nil }
            self = .subrate(
                .init(factor: change.factor, continuationNumber: change.continuationNumber), latency: change.latency,
                timeout: change.timeout)
        case .phyUpdateInd:
            guard let update = try? LL.PHYUpdateInd(decoding: Array(parameters)) else { return nil }
            let phys = LinkParameters.PHYs(
                sent: update.centralToPeripheral.only.map(HCI.PHY.init),
                received: update.peripheralToCentral.only.map(HCI.PHY.init))
            if phys.sent == nil, phys.received == nil { return nil }
            self = .phys(phys)
        case .lengthRsp:
            guard let request, request.direction == direction.opposite,
                let response = try? LL.LengthRsp(decoding: Array(parameters))
            else { return nil }
            // A side sends no more than its transmit limit and the peer's receive limit allow (Vol 6, Part B, 4.5.10).
            let asked = min(request.lengths.maxTxOctets, response.lengths.maxRxOctets)
            let answered = min(response.lengths.maxTxOctets, request.lengths.maxRxOctets)
            self = .dataLength(
                request.direction == .sent
                    ? .init(sent: asked, received: answered) : .init(sent: answered, received: asked))
        default: return nil
        }
    }
}

extension HCI.PHY {
    /// A PHY as HCI numbers it, from 1; the link layer counts from 0.
    fileprivate init(_ phy: LL.PHY) {
        self.init(rawValue: phy.rawValue &+ 1)
    }
}
