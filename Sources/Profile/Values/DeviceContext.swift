/// State of a connection, for a profile's conditions. One instance serves all events of the connection: a rule reads it
/// during the event and must not keep a reference.
public final class DeviceContext: PayloadContext {
    package var written = WrittenValues()
    /// Names of the device's characteristics; nil while its attribute table is unknown.
    package var characteristics: Set<String>?
    /// The request that the event's value answers, if the profile declares one.
    package var request: Value?
    /// Identifier of the plugin that describes the device, which differs from the rule's plugin if that is a general
    /// one; nil if unknown.
    public var plugin: String?

    public init() {}

    /// Copies the context, to read a value under a different assumption.
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
