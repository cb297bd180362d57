package import Bytes

extension LL {
    package protocol ControlPDU: WireFormat {}
    package static func readControl(_ reader: inout ByteReader) throws(DecodeError) -> (any ControlPDU)? {
        reader.skipRest(Fields.unknownData)
        return nil
    }
}
