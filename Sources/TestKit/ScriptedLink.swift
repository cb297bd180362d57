package import Bluetooth
import Bytes
package import Captures

/// A scripted connection, which records its traffic in the link's format.
///
/// The ATT client is the side that sends in the direction `client`: by default the local host, or the central.
package protocol ScriptedLink: AnyObject {
    /// The recording that receives the packets.
    var recording: Recording { get }
    /// The direction of ATT requests.
    var client: Direction { get set }
    /// The ATT_MTU, which limits each PDU of long reads and writes.
    var mtu: Int { get set }

    /// Records an L2CAP frame, fragmented for the link.
    func carry(_ frame: [UInt8], _ direction: Direction)
    /// The channel of ATT PDUs sent in a direction.
    func attChannel(_ direction: Direction) -> L2CAP.ChannelID
    var signalingChannel: L2CAP.ChannelID { get }
}

extension ScriptedLink {
    package func attChannel(_ direction: Direction) -> L2CAP.ChannelID { .att }
    package var signalingChannel: L2CAP.ChannelID { .leSignaling }
}

// MARK: - Frames

extension ScriptedLink {
    package var server: Direction { client.opposite }

    /// Records a payload on an L2CAP channel.
    package func carry(_ payload: [UInt8], on channel: L2CAP.ChannelID, _ direction: Direction) {
        carry(L2CAP.frame(payload, on: channel), direction)
    }

    /// Records an ATT PDU of the client: a request, a command or a confirmation.
    package func request(_ pdu: some ATT.PDU) {
        carry(ATT.encode(pdu), on: attChannel(client), client)
    }

    /// Records an ATT PDU of the server: a response, a notification or an indication.
    package func respond(_ pdu: some ATT.PDU) {
        carry(ATT.encode(pdu), on: attChannel(server), server)
    }

    /// Records an L2CAP signaling command.
    package func signal(_ command: some L2CAP.Command, identifier: UInt8, _ direction: Direction) {
        carry(L2CAP.encode(command, identifier: identifier), on: signalingChannel, direction)
    }

    /// Records an SMP command.
    package func security(_ pdu: some SMP.PDU, _ direction: Direction) {
        carry(SMP.encode(pdu), on: .smp, direction)
    }
}

// MARK: - ATT procedures

extension ScriptedLink {
    /// Exchanges MTUs; the smaller one applies from then on.
    package func exchangeMTU(client: UInt16, server: UInt16) {
        request(ATT.ExchangeMTURequest(clientRxMTU: client))
        respond(ATT.ExchangeMTUResponse(serverRxMTU: server))
        mtu = max(ATT.defaultMTU, Int(min(client, server)))
    }

    /// Rejects a request with an Error Response.
    package func refuse(_ opcode: ATT.Opcode, _ handle: Handle, _ error: ATT.ErrorCode) {
        respond(ATT.ErrorResponse(requestOpcode: opcode, handle: handle, errorCode: error))
    }

    /// Reads a value that fits into one response.
    package func read(_ handle: Handle, _ value: [UInt8]) {
        request(ATT.ReadRequest(handle: handle))
        respond(ATT.ReadResponse(value: value))
    }

    /// Reads a value of any length: Read, then Read Blob until a response is not full (Vol 3, Part G, 4.8.3).
    package func readLong(_ handle: Handle, _ value: [UInt8]) {
        let room = mtu - 1
        read(handle, Array(value.prefix(room)))
        var offset = room
        while offset <= value.count, value.count >= room {
            let part = Array(value.dropFirst(offset).prefix(room))
            request(ATT.ReadBlobRequest(handle: handle, offset: UInt16(offset)))
            respond(ATT.ReadBlobResponse(value: part))
            if part.count < room { return }
            offset += room
        }
    }

    /// Writes a value with a Write Request and its response.
    package func write(_ handle: Handle, _ value: [UInt8]) {
        request(ATT.WriteRequest(handle: handle, value: value))
        respond(ATT.WriteResponse())
    }

    /// Writes a value with Prepare Write requests and executes them (Vol 3, Part G, 4.9.4).
    package func writeLong(_ handle: Handle, _ value: [UInt8], execute: Bool = true) {
        let room = mtu - 5
        for offset in stride(from: 0, to: value.count, by: room) {
            let part = Array(value.dropFirst(offset).prefix(room))
            request(ATT.PrepareWriteRequest(handle: handle, offset: UInt16(offset), value: part))
            respond(ATT.PrepareWriteResponse(handle: handle, offset: UInt16(offset), value: part))
        }
        request(ATT.ExecuteWriteRequest(flags: execute ? 1 : 0))
        respond(ATT.ExecuteWriteResponse())
    }

    /// Writes without a response.
    package func writeCommand(_ handle: Handle, _ value: [UInt8]) {
        request(ATT.WriteCommand(handle: handle, value: value))
    }

    /// Enables notifications, or indications, with the descriptor at `handle`.
    package func subscribe(_ handle: Handle, indications: Bool = false) {
        write(handle, [indications ? 2 : 1, 0])
    }

    package func notify(_ handle: Handle, _ value: [UInt8]) {
        respond(ATT.HandleValueNotification(handle: handle, value: value))
    }

    /// Indicates a value; the client confirms.
    package func indicate(_ handle: Handle, _ value: [UInt8]) {
        respond(ATT.HandleValueIndication(handle: handle, value: value))
        request(ATT.HandleValueConfirmation())
    }

    /// Indicates Service Changed for a range of handles (Vol 3, Part G, 7.1).
    package func indicateServiceChanged(_ handle: Handle, _ start: UInt16, _ end: UInt16) {
        indicate(
            handle,
            ByteWriter.bytes {
                $0.write(start)
                $0.write(end)
            })
    }
}
