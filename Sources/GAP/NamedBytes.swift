import Bytes

extension GAP {
    /// A value that is bytes under a name, its parts unknown here or not to be shown.
    protocol NamedBytes: Value, Hashable {
        static var field: Field { get }
        var bytes: [UInt8] { get }
        init(bytes: [UInt8])
    }

    /// Simple Pairing Hash C, C-192 or C-256 (CSS, Part A, 1.6).
    package struct PairingHash: NamedBytes {
        static var field: Field { Fields.hash }
        package var bytes: [UInt8]
    }

    /// Simple Pairing Randomizer R, R-192 or R-256 (CSS, Part A, 1.6).
    package struct PairingRandomizer: NamedBytes {
        static var field: Field { Fields.randomizer }
        package var bytes: [UInt8]
    }

    /// LE Secure Connections Confirmation Value (CSS, Part A, 1.6).
    package struct ConfirmationValue: NamedBytes {
        static var field: Field { Fields.confirmationValue }
        package var bytes: [UInt8]
    }

    /// LE Secure Connections Random Value (CSS, Part A, 1.6).
    package struct RandomValue: NamedBytes {
        static var field: Field { Fields.randomValue }
        package var bytes: [UInt8]
    }

    /// The code that an encrypted isochronous broadcast's key is made from (CSS, Part A, 1.22).
    package struct BroadcastCode: NamedBytes {
        static var field: Field { Fields.broadcastCode }
        package var bytes: [UInt8]
    }

    /// A generic provisioning PDU of a mesh (Mesh Protocol, 5.2.1).
    package struct MeshProvisioning: NamedBytes {
        static var field: Field { Fields.meshProvisioning }
        package var bytes: [UInt8]
    }

    /// A network PDU of a mesh (Mesh Protocol, 3.4.4).
    package struct MeshMessage: NamedBytes {
        static var field: Field { Fields.meshMessage }
        package var bytes: [UInt8]
    }

    /// A beacon of a mesh (Mesh Protocol, 3.10).
    package struct MeshBeacon: NamedBytes {
        static var field: Field { Fields.meshBeacon }
        package var bytes: [UInt8]
    }

    /// Messages between an access point and electronic shelf labels (ESL Profile).
    package struct ElectronicShelfLabel: NamedBytes {
        static var field: Field { Fields.shelfLabel }
        package var bytes: [UInt8]
    }
}

extension GAP.NamedBytes {
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(bytes: reader.readRest(Self.field))
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}
