/// The state of a connection that conditions of a profile ask for. One instance serves all events of the connection, so a
/// rule reads it during the event and keeps no reference.
public final class DeviceContext: PayloadContext {
    package var written = WrittenValues()
    /// Names of the characteristics that the device is known to have; nil while its table is not known.
    package var characteristics: Set<String>?
    /// The request that the event's value answers, where the profile says which that is.
    package var request: Value?
    /// Id of the plugin that describes the device, which for a general plugin is another one; nil where none is known.
    public var plugin: String?

    public init() {}

    /// A context for a value that is read under another assumption.
    package func copy() -> DeviceContext {
        let context = DeviceContext()
        context.written = written
        context.characteristics = characteristics
        context.plugin = plugin
        context.request = request
        return context
    }

    package func written(to characteristic: String, at offset: Int) -> UInt8? {
        written.byte(at: offset, of: characteristic)
    }

    package func has(_ characteristic: String) -> Bool? { characteristics?.contains(characteristic) }
}
