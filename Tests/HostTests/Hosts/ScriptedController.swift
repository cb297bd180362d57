import Bluetooth
import Bytes
import PDUTestKit

/// A minimal controller that answers the start-up commands of a host; faults can be configured.
struct ScriptedController {
    var address = Address(value: 0x00AA_0000_0001)
    /// ACL buffers for LE; with a length of 0, LE shares the BR/EDR buffers.
    var leBuffers: (length: UInt16, count: UInt8) = (27, 4)
    var sharedBuffers: (length: UInt16, count: UInt16) = (100, 2)
    /// Bits of the supported commands.
    var supported: Set<Int> = []
    /// Commands that are never answered.
    var silent: Set<UInt16> = []
    /// Commands that are refused.
    var refused: [UInt16: UInt8] = [:]
    /// Opcodes, in order of arrival.
    var opcodes: [UInt16] = []
    /// The last command packet of each opcode.
    var packets: [UInt16: [UInt8]] = [:]
    var randomAddress = Address(value: 0)

    /// Supported commands of a controller with extended advertising, data length update and PHYs.
    static let extended: Set<Int> = [
        270, 272, 286, 289, 290, 291, 292, 293, 294, 295, 296, 297, 301, 302, 303, 198,
    ]

    /// Handles a command packet, packet indicator first, and returns the events that answer it; nil: `HostPair` has to
    /// handle it.
    mutating func answer(_ packet: [UInt8]) -> [[UInt8]]? {
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        opcodes.append(opcode)
        packets[opcode] = packet
        if silent.contains(opcode) { return [] }
        if let status = refused[opcode] { return [complete(opcode, [status])] }
        switch opcode {
        case 0x1001: return [complete(opcode, hex("00 0c 0000 0c f005 0000"))]
        case 0x1002:
            var bits = [UInt8](repeating: 0, count: 64)
            for bit in supported { bits[bit / 8] |= 1 << UInt8(bit % 8) }
            return [complete(opcode, [0] + bits)]
        case 0x2003: return [complete(opcode, hex("00 ff01000000000000"))]
        case 0x1009: return [complete(opcode, HCI.ReadBDADDR.Returned(address: address).encoded)]
        case 0x2002:
            return [
                complete(
                    opcode,
                    HCI.LEReadBufferSize.Returned(packetLength: leBuffers.length, packetCount: leBuffers.count).encoded)
            ]
        case 0x1005:
            return [
                complete(
                    opcode,
                    ByteWriter.bytes {
                        $0.write([0])
                        $0.write(sharedBuffers.length)
                        $0.write([0])
                        $0.write(sharedBuffers.count)
                        $0.write(0 as UInt16)
                    })
            ]
        case 0x203A: return [complete(opcode, hex("00 7206"))]
        case 0x2036: return [complete(opcode, hex("00 07"))]
        case 0x2005:
            randomAddress =
                (try? HCI.LESetRandomAddress(decoding: Array(packet.dropFirst(4))))?.address ?? randomAddress
            return [complete(opcode, [0])]
        // Commands with effects beyond the controller.
        case 0x200D, 0x2043, 0x200E, 0x0406, 0x2013, 0x2019, 0x201A, 0x201B, 0x2022, 0x2032, 0x200A, 0x2039, 0x200C,
            0x2042:
            return nil
        default: return [complete(opcode, [0])]
        }
    }

    func complete(_ opcode: UInt16, _ parameters: [UInt8]) -> [UInt8] {
        [4]
            + HCI.encode(
                HCI.CommandComplete(opcode: HCI.Opcode(rawValue: opcode), returnParameters: parameters))
    }

    func status(_ opcode: UInt16, _ status: HCI.ErrorCode = .success) -> [UInt8] {
        [4] + HCI.encode(HCI.CommandStatus(status: status, opcode: HCI.Opcode(rawValue: opcode)))
    }
}
