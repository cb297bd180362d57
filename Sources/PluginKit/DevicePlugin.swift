package import BluetoothTypes
package import Bytes

/// What the workbench learns about one kind of device: how to read the values of its attributes.
///
/// A plugin sees this module and nothing of the pipeline; the pipeline sees plugins only through this protocol.
package protocol DevicePlugin: Sendable {
    /// Short name in lower case, which begins the names of its fields: `battery`.
    var id: String { get }
    /// What it describes, in a few words.
    var title: String { get }
    /// Every field that its decoders record, for filters and column lists.
    var fields: [Field] { get }
    /// The decoders of attribute values, by attribute type.
    var decoders: [UUID: ValueDecoder] { get }
    /// The commands that it adds to the program; nil for most.
    var commands: PluginCommandGroup? { get }
}

extension DevicePlugin {
    package var commands: PluginCommandGroup? { nil }
}

/// Reads the values of one attribute type.
package struct ValueDecoder: Sendable {
    /// What the value is, in lower case with underscores: `battery_level`.
    package let message: String
    /// The value's form on the wire.
    package let format: any WireFormat.Type

    package init(_ message: String, _ format: any WireFormat.Type) {
        self.message = message
        self.format = format
    }

    /// Reads one value, leaving its fields in the reader's recorder.
    package func decode(_ reader: inout ByteReader) throws(DecodeError) {
        _ = try format.init(reading: &reader)
    }
}
