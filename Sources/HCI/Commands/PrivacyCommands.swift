public import BluetoothTypes
public import Bytes

extension HCI {
    /// The controller is to resolve a bonded device's private addresses with these keys (Vol 4, Part E, 7.8.38).
    public struct LEAddDeviceToResolvingList: Command, Hashable {
        public static let opcode = Opcode.leAddDeviceToResolvingList

        public var peerType: AddressType
        /// Its identity address.
        public var peer: Address
        /// 16 bytes, the least significant first; zero for a device without privacy.
        public var peerIRK: [UInt8]
        /// 16 bytes, the least significant first.
        public var localIRK: [UInt8]

        public init(peerType: AddressType, peer: Address, peerIRK: [UInt8], localIRK: [UInt8]) {
            self.peerType = peerType
            self.peer = peer
            self.peerIRK = peerIRK
            self.localIRK = localIRK
        }

        public init(reading reader: inout ByteReader) throws(DecodeError) {
            peerType = try reader.read(Parameter.lePeerIdentityAddressType.inCommand)
            peer = try reader.readAddress(Parameter.bdAddr.inCommand)
            peerIRK = try reader.readBytes(Parameter.lePeerIRK.inCommand, count: 16)
            localIRK = try reader.readBytes(Parameter.leLocalIRK.inCommand, count: 16)
        }

        public func write(to writer: inout ByteWriter) {
            writer.write(peerType)
            writer.write(peer)
            writer.write(peerIRK)
            writer.write(localIRK)
        }
    }
}
