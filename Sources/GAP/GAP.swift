package import Bytes
package enum GAP {
    package static func readAdvertisingData(_ reader: inout ByteReader) -> [DecodeError] { [] }
    package static func localName(in data: RawSpan) -> (name: String, isComplete: Bool)? { nil }
}
