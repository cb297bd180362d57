import BluetoothTypes
import Bytes

extension StandardServices {
    /// «Service Changed»: the handles whose attributes are not what they were (Vol 3, Part G, 7.1).
    struct ServiceChanged: StandardValue {
        var start: Handle
        var end: Handle

        private static let startField = Field(standard: "service_changed.start_handle", "Start Handle", .hex(4))
        private static let endField = Field(standard: "service_changed.end_handle", "End Handle", .hex(4))
        static let fields = [startField, endField]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            start = try reader.read(Self.startField)
            end = try reader.read(Self.endField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
        }
    }

    /// «Client Supported Features»: what the client told that it can do (Vol 3, Part G, 7.2).
    struct ClientSupportedFeatures: StandardValue {
        /// Bit 0: robust caching; 1: enhanced ATT bearer; 2: multiple handle value notifications.
        var features: UInt8
        /// Octets that no specification defines yet.
        var further: [UInt8]

        private static let bits = [
            Field.flag("client_supported_features.robust_caching", "Robust Caching", bit: 0),
            Field.flag("client_supported_features.enhanced_bearer", "Enhanced ATT Bearer", bit: 1),
            Field.flag(
                "client_supported_features.multiple_notifications", "Multiple Handle Value Notifications", bit: 2),
        ]
        private static let featuresField = Field(
            standard: "client_supported_features.features", "Features", .hex(2), names: ValueNames(parts: bits))
        private static let furtherField = Field(
            standard: "client_supported_features.further", "Further Features", .bytes)
        static let fields = [featuresField, furtherField] + bits

        init(reading reader: inout ByteReader) throws(DecodeError) {
            features = try reader.read(Self.featuresField)
            reader.recordBits(features, Self.bits)
            further = reader.readRest(Self.furtherField)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(features)
            writer.write(further)
        }
    }

    /// «Database Hash»: another hash, another table (Vol 3, Part G, 7.3).
    struct DatabaseHash: StandardValue {
        /// AES-CMAC over the table, 16 bytes, least significant first.
        var hash: [UInt8]

        private static let field = Field(standard: "database_hash.hash", "Hash", .bytes)
        static let fields = [field]

        init(reading reader: inout ByteReader) throws(DecodeError) {
            hash = try reader.readBytes(Self.field, count: 16)
        }

        func write(to writer: inout ByteWriter) {
            writer.write(hash)
        }
    }

    /// «Server Supported Features» (Vol 3, Part G, 7.4).
    struct ServerSupportedFeatures: NumberValue {
        static let bits = [
            Field.flag("server_supported_features.enhanced_bearer", "Enhanced ATT Bearer", bit: 0)
        ]
        static let field = Field(
            standard: "server_supported_features.features", "Features", .hex(2), names: ValueNames(parts: bits))
        /// Bit 0: enhanced ATT bearer.
        var value: UInt8
    }
}
