import Bluetooth
import Bytes
import PluginKit
import Profile

/// Implicit rules of a plugin: every value of a characteristic has a length that the profile allows, and bytes that
/// match its type.
///
/// Each characteristic has one rule for values that the device sends, `KETTLE-STATUS-VALUE`, and one for values that
/// the client writes, `KETTLE-COMMAND-WRITE`. A value that breaks a declared `length` or `check` rule breaks neither,
/// because that rule states the fault.
struct ValueForms {
    /// The rules, in profile order.
    private(set) var infos: [RuleInfo] = []
    /// Index in `infos` of the rule about a characteristic's values, by name of the characteristic.
    private var sent: [String: Int] = [:]
    private var written: [String: Int] = [:]

    init(_ plugin: DevicePlugin) {
        if plugin.isGeneral { return }
        for characteristic in plugin.profile.profile.services.flatMap(\.characteristics) {
            let properties = characteristic.properties
            let isSent = !properties.isDisjoint(with: [.read, .notify, .indicate])
            let isWritten = !properties.isDisjoint(with: [.write, .writeWithoutResponse])
            let operations = Set(characteristic.readings.keys)
            let hasLength = characteristic.length != nil
            if isSent, hasLength || !operations.isDisjoint(with: [.read, .notify, .indicate]),
                sent[characteristic.name] == nil
            {
                sent[characteristic.name] = infos.count
                infos.append(
                    RuleInfo(
                        valueOf: characteristic, plugin.id, "VALUE", role: .peripheral, "that the device sends"))
            }
            if isWritten, hasLength || operations.contains(.write), written[characteristic.name] == nil {
                written[characteristic.name] = infos.count
                infos.append(
                    RuleInfo(valueOf: characteristic, plugin.id, "WRITE", role: .client, "that a client writes"))
            }
        }
    }

    /// Indices of the rules about one characteristic among the plugin's rules.
    struct Places {
        /// Nil if there is no rule about such values.
        var sent: Int?
        var written: Int?
        /// The length required by the profile; nil if only the type determines it.
        var length: ClosedRange<Int>?
    }

    /// Indices of a characteristic's rules, which follow the profile's own rules.
    func places(of characteristic: CharacteristicDefinition, after count: Int) -> Places {
        Places(
            sent: sent[characteristic.name].map { $0 + count },
            written: written[characteristic.name].map { $0 + count },
            length: characteristic.length)
    }

    /// The fault in the form of a value; nil for none. `length` is the length required by the profile.
    static func fault(of value: CheckedValue, length: ClosedRange<Int>?) -> Finding? {
        let count = value.bytes.count
        if let length, !length.contains(count) {
            let demand = LengthDemand(length)
            return value.finding(expected: demand.expected, observed: demand.observed(in: value))
        }
        guard let reading = value.reading else { return nil }
        if reading.isFaulty {
            let layout = reading.layout
            return value.finding(
                expected: "\(layout.title) of \(LengthDemand.text(layout.lengths))", observed: layout.fault(value))
        }
        guard reading.bytesLeft > 0 else { return nil }
        return value.finding(
            expected: "\(reading.layout.title) of \(count - reading.bytesLeft) bytes",
            observed: "\(count) bytes, of which the type reads \(count - reading.bytesLeft)")
    }
}

extension RuleInfo {
    fileprivate init(
        valueOf characteristic: CharacteristicDefinition, _ plugin: String, _ kind: String, role: RuleDefinition.Role,
        _ origin: String
    ) {
        let name = characteristic.name.uppercased().map { $0 == "_" ? "-" : $0 }
        self.init(
            "\(plugin.uppercased())-\(String(name))-\(kind)",
            "values of \(characteristic.title) \(origin) have a length and a form of the profile", role: role,
            source: "profile of \(plugin), characteristic \(characteristic.name)")
        self.plugin = plugin
        isAboutForm = true
    }
}

extension Layout {
    /// Why the bytes do not match the type.
    fileprivate func fault(_ value: CheckedValue) -> String {
        let count = "\(value.bytes.count) byte\(value.bytes.count == 1 ? "" : "s")"
        do throws(DecodeError) {
            _ = try decode(value.bytes.array)
            return count
        } catch {
            return "\(count), \(error)"
        }
    }
}
