package import Bluetooth
package import Bytes
package import PluginKit

/// The part of a capture that is compared with another capture: its connections and their procedures.
package struct CaptureOutline: Sendable {
    /// Path of the capture.
    package var file: String
    package var frames = 0
    /// In the order of their numbers.
    package var connections: [ConnectionOutline] = []
    /// The attributes that procedures concern, by `ProcedureOutline.attribute`.
    package var attributes: [OutlinedAttribute] = []
    /// Bytes of all values, which procedures refer to.
    package var bytes: [UInt8] = []
    /// Procedures and connections beyond the limits of memory, which are not compared.
    package var omittedProcedures = 0
    package var omittedConnections = 0

    package init(file: String) {
        self.file = file
    }

    package var procedureCount: Int { connections.reduce(0) { $0 + $1.procedures.count } }

    /// The attribute that a procedure concerns; nil for none.
    func attribute(of procedure: ProcedureOutline) -> OutlinedAttribute? {
        attributes.indices.contains(Int(procedure.attribute)) ? attributes[Int(procedure.attribute)] : nil
    }

    /// The bytes of a value.
    func bytes(of value: ProcedureOutline.Value) -> ArraySlice<UInt8> { bytes[value.range] }
}

/// An attribute by its identity, with its name.
package struct OutlinedAttribute: Hashable, Sendable {
    package var path: AttributePath
    package var name: String

    package init(_ path: AttributePath, name: String) {
        (self.path, self.name) = (path, name)
    }
}

/// The part of a connection that is compared.
package struct ConnectionOutline: Sendable {
    /// From where a connection was captured. What only one view shows is no difference between two views.
    package enum View: String, Sendable {
        case host, air
    }

    /// From 1, as in `decode -Y "connection == 1"`.
    package let number: Int
    package let view: View
    package let opened: FrameReference
    /// The device that connections are paired by: the peripheral, or the peer where the roles were not captured.
    package var device: RunOutline.Device
    /// Whether it is known which side is the central.
    package var hasRoles = false
    package var isBeginningCaptured = true
    /// Whether traffic is encrypted, and no key has opened it.
    package var hasUnreadTraffic = false
    /// In the order of their first frames.
    package var procedures: [ProcedureOutline] = []
    package var pairings: [PairingOutline] = []
    /// Changes of parameters in order, including the initial ones.
    package var changes: [ParameterChange] = []
    /// The tables of the servers, by their side.
    package var tables: [FrameReference.Sender: ServerOutline] = [:]
    /// Servers whose primary services the client has listed, so that a missing service is known to be missing.
    package var listedServers: Set<FrameReference.Sender> = []
    /// The end of the connection; nil if it was open when the capture ended.
    package var end: End?
    /// The last frame at which something was missing; 0 for none.
    package var lastGap = 0

    package init(number: Int, view: View, opened: FrameReference, device: RunOutline.Device) {
        (self.number, self.view, self.opened, self.device) = (number, view, opened, device)
    }

    /// The connection interval after the last change; nil if it was not captured.
    var interval: TimeSpan? {
        changes.last { $0.interval != nil }?.interval
    }

    /// The end of a connection.
    package struct End: Hashable, Sendable {
        /// The reason, and the side that has ended the connection where that is known.
        package var text: String
        package var frame: Int
        package var time: Timestamp

        package init(text: String, frame: Int, time: Timestamp) {
            (self.text, self.frame, self.time) = (text, frame, time)
        }
    }
}

/// A change of the parameters of a connection, or of its encryption.
package struct ParameterChange: Hashable, Sendable {
    /// The kind of parameters: changes of one kind are compared with each other.
    package enum Kind: String, Sendable, CaseIterable {
        case parameters = "connection parameters"
        case subrate = "connection subrate"
        case dataLength = "data length"
        case phy = "PHY"
        case encryption
    }

    package var kind: Kind
    package var frame: Int
    package var fields: [OutlinedField]
    /// The connection interval, if the change states one.
    package var interval: TimeSpan?

    package init(_ kind: Kind, frame: Int, _ fields: [OutlinedField], interval: TimeSpan? = nil) {
        (self.kind, self.frame, self.fields, self.interval) = (kind, frame, fields, interval)
    }
}

/// A name and the text of its value.
package struct OutlinedField: Hashable, Sendable {
    package var name: String
    package var text: String

    package init(_ name: String, _ text: String) {
        (self.name, self.text) = (name, text)
    }
}

/// A pairing (Vol 3, Part H, 2.3).
package struct PairingOutline: Hashable, Sendable {
    package var frames: ClosedRange<Int>
    /// The features of both sides, the method, the keys that were distributed and the result.
    package var fields: [OutlinedField]
    /// The time from Pairing Request to the last command; nil unless the pairing was completed.
    package var duration: TimeSpan?

    package init(frames: ClosedRange<Int>, fields: [OutlinedField], duration: TimeSpan? = nil) {
        (self.frames, self.fields, self.duration) = (frames, fields, duration)
    }
}

/// The attribute table of a server, as far as it was discovered. A class, which connections with equal tables share.
package final class ServerOutline: Sendable {
    package let table: GATT.Table
    /// The names of services and attributes by the plugin that describes the server; other attributes have the assigned
    /// ones.
    package let names: [UUID: String]

    package init(table: GATT.Table, names: [UUID: String]) {
        (self.table, self.names) = (table, names)
    }
}
