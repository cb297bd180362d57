package import BluetoothTypes
package import GATT
package import Dissection
package enum GATTFiles { package static func read(_ path: String) throws -> [DeviceAddress: GATT.Table] { [:] }
 package static func write(_ tracker: Tracker, to path: String) throws {} }
package struct GATTFileError: Error {}
