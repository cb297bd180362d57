package import Bluetooth
import Bytes
package import Captures

// Enhanced ATT bearers (Vol 3, Part G, 5.3), numbered from 0 by their channels: the client's channel IDs start at
// 0x0040, the server's at 0x0050.
extension ScriptedLink {
    /// Opens bearers whose endpoints accept SDUs of `mtu` bytes, in K-frames of 64 bytes.
    package func openBearers(_ count: Int, mtu: UInt16 = 64, serverMTU: UInt16? = nil) {
        let mps = UInt16(Self.framePayload)
        signal(
            L2CAP.CreditBasedConnectionRequest(
                spsm: .eatt, mtu: mtu, mps: mps, initialCredits: 65535,
                sources: (0..<count).map { bearerEnd($0, of: client) }),
            identifier: 1, client)
        signal(
            L2CAP.CreditBasedConnectionResponse(
                mtu: serverMTU ?? mtu, mps: mps, initialCredits: 65535, result: .successful,
                destinations: (0..<count).map { bearerEnd($0, of: server) }),
            identifier: 1, server)
    }

    /// Raises the MTU of one side (Vol 3, Part A, 4.27 and 4.28).
    package func reconfigureBearer(_ bearer: Int, mtu: UInt16, of side: Direction) {
        signal(
            L2CAP.CreditBasedReconfigureRequest(
                mtu: mtu, mps: UInt16(Self.framePayload), destinations: [bearerEnd(bearer, of: side)]),
            identifier: 2, side)
        signal(L2CAP.CreditBasedReconfigureResponse(result: .successful), identifier: 2, side.opposite)
    }

    /// Closes a bearer from the client's side.
    package func closeBearer(_ bearer: Int) {
        let (source, destination) = (bearerEnd(bearer, of: client), bearerEnd(bearer, of: server))
        signal(L2CAP.DisconnectionRequest(destination: destination, source: source), identifier: 3, client)
        signal(L2CAP.DisconnectionResponse(destination: destination, source: source), identifier: 3, server)
    }

    /// Records an ATT PDU of the client on a bearer.
    package func request(_ pdu: some ATT.PDU, onBearer bearer: Int) {
        carry(ATT.encode(pdu), onBearer: bearer, client)
    }

    /// Records an ATT PDU of the server on a bearer.
    package func respond(_ pdu: some ATT.PDU, onBearer bearer: Int) {
        carry(ATT.encode(pdu), onBearer: bearer, server)
    }

    /// Records an ATT PDU as an SDU, segmented into K-frames.
    package func carry(_ pdu: [UInt8], onBearer bearer: Int, _ direction: Direction) {
        let sdu = ByteWriter.bytes { $0.write(UInt16(pdu.count)) } + pdu
        for part in Fragmentation.every(Self.framePayload).pieces(of: sdu) {
            carry(Array(part), on: bearerEnd(bearer, of: direction.opposite), direction)
        }
    }

    /// The channel on which a side receives a bearer's PDUs.
    package func bearerEnd(_ bearer: Int, of side: Direction) -> L2CAP.ChannelID {
        L2CAP.ChannelID(UInt16(side == client ? 0x0040 : 0x0050) + UInt16(bearer))
    }

    /// MPS of both endpoints.
    private static var framePayload: Int { 64 }
}
