import BluetoothCrypto
import BluetoothTypes
import Bytes
import GATT

extension AttributeDatabase {
    /// The Database Hash: AES-CMAC with a key of zeros over what discovery can see (Vol 3, Part G, 7.3.1). 16 bytes as
    /// they are on the wire, the least significant first.
    package var hash: [UInt8] {
        let message = ByteWriter.bytes { writer in
            for attribute in attributes {
                switch attribute.type {
                case .primaryService, .secondaryService, .include, .characteristic, 0x2900:
                    writer.write(attribute.handle)
                    writer.write(attribute.type)
                    writer.write(attribute.value)
                case 0x2901, .clientCharacteristicConfiguration, 0x2903, 0x2904, 0x2905:
                    writer.write(attribute.handle)
                    writer.write(attribute.type)
                default: break
                }
            }
        }
        return ByteWriter.bytes { $0.write(AES128(key: 0).authenticationCode(of: message)) }
    }
}
