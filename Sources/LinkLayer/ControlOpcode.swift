package import Bytes

extension LL {
    package protocol ControlPDU: WireFormat {}
    package static func readControl(_ reader: inout ByteReader) throws(DecodeError) -> (any ControlPDU)? {
        reader.skipRest(Fields.unknownData)
        return nil
    }
}
extension LL {
 package struct ControlOpcode: WireInteger { package var rawValue: UInt8; package init(rawValue: UInt8) { self.rawValue = rawValue }
  package static let terminateInd = Self(rawValue: 2), encRsp = Self(rawValue: 4), startEncReq = Self(rawValue: 5), rejectInd = Self(rawValue: 0xd), rejectExtInd = Self(rawValue: 0x11) }
}
