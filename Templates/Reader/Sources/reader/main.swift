import Bluetooth
import Bytes
import Captures

/// The ATT PDU in an ACL packet; nil for other packets and for fragments.
func attPDU(in packet: [UInt8]) throws -> (any ATT.PDU)? {
    var reader = ByteReader(packet.span)
    let acl = try HCI.ACLHeader(reading: &reader)
    let frame = try L2CAP.FrameHeader(reading: &reader)
    guard !acl.boundary.isContinuation, frame.cid == .att, reader.remaining == frame.length else { return nil }
    return try ATT.read(&reader)
}

let capture = try CaptureReader(path: CommandLine.arguments.dropFirst().first ?? "-")
while let batch = try capture.next() {
    for packet in batch.packets {
        guard let hci = batch.hciView(of: packet), hci.type == .acl else { continue }
        guard let pdu = try? attPDU(in: Array(batch.bytes[hci.range])) else { continue }
        print(packet.number, hci.direction, pdu)
    }
}
