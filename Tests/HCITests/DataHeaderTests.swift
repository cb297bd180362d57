import BluetoothTypes
import Bytes
import HCI
import TestKit
import Testing

@Test(arguments: [
    (hex("40 20 1b 00"), 0x040, 2, 0, 27), (hex("00 02 05 00"), 0x200, 0, 0, 5),
    (hex("ff 1e ff ff"), 0xEFF, 1, 0, 65535),
    (hex("01 70 00 00"), 1, 3, 1, 0),
])
func aclHeaderTakesItsBitsApart(bytes: [UInt8], handle: Int, boundary: Int, broadcast: Int, length: Int) throws {
    let recorder = FieldRecorder()
    let header = try HCI.ACLHeader(decoding: bytes, recorder: recorder)
    #expect(header.handle == ConnectionHandle(UInt16(handle)))
    #expect(header.boundary.rawValue == UInt8(boundary))
    #expect(header.broadcast == UInt8(broadcast))
    #expect(header.length == UInt16(length))
    #expect(
        recorder.fields.map(\.field.name) == [
            "bthci_acl.chandle", "bthci_acl.pb_flag", "bthci_acl.bc_flag", "bthci_acl.length",
        ])
    #expect(recorder.fields.map(\.value) == [handle, boundary, broadcast, length].map { UInt64($0) })
    #expect(WireFormatCheck.faults(HCI.ACLHeader.self, bytes) == [])
}
