import Bluetooth
import Conversation
import PluginKit

/// Roles of a server's attributes in the profile that describes it.
struct AttributeRoles {
    enum Role {
        /// The value of a characteristic, by its index in `PluginRules.characteristics`.
        case value(Int)
        /// The Client Characteristic Configuration of a characteristic.
        case configuration(Int)
        /// Firmware Revision String (Device Information Service 1.1, 3.5).
        case firmware
        /// Device Name (Vol 3, Part C, 12.1).
        case deviceName
    }

    /// Handles of the attributes with a role, sorted, and their roles.
    private var handles: [UInt16] = []
    private var roles: [Role] = []
    /// Names of the server's characteristics; nil if the table is unknown.
    private(set) var characteristics: Set<String>?
    /// Number of table entries from which the roles were found.
    let count: Int

    init(_ contents: AttributeTableStore.Version, _ rules: PluginRules) {
        count = Self.count(of: contents)
        let table = contents.table
        var names: Set<String> = []
        var found: [UInt16: Role] = [:]
        for characteristic in table.characteristics {
            guard let index = rules.index[characteristic.type] else {
                if characteristic.type == Self.firmware { found[characteristic.value.rawValue] = .firmware }
                if characteristic.type == Self.deviceName { found[characteristic.value.rawValue] = .deviceName }
                continue
            }
            found[characteristic.value.rawValue] = .value(index)
            names.insert(rules.characteristics[index].name)
            if let handle = table.configuration(of: characteristic) { found[handle.rawValue] = .configuration(index) }
        }
        if !names.isEmpty { characteristics = names }
        handles = found.keys.sorted()
        roles = handles.compactMap { found[$0] }
    }

    /// The role of the attribute at a handle; nil for none.
    func role(at handle: Handle) -> Role? {
        var (low, high) = (0, handles.count)
        while low < high {
            let middle = (low + high) / 2
            if handles[middle] < handle.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < handles.count && handles[low] == handle.rawValue ? roles[low] : nil
    }

    /// Number of entries of a server's table.
    static func count(of contents: AttributeTableStore.Version) -> Int {
        contents.discovered.count + (contents.earlier?.count ?? 0)
    }

    private static let firmware = UUID(0x2A26)
    private static let deviceName = UUID(0x2A00)
}
