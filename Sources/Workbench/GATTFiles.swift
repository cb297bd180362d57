package import BluetoothTypes
package import GATT
package enum GATTFiles { package static func read(_ path: String) throws -> [DeviceAddress: GATT.Table] { [:] } }
package struct GATTFileError: Error {}
