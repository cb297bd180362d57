import Bytes

extension GAP {
    /// A value recorded as one field of bytes, either because its format is not decoded or because it must not be
    /// shown.
    protocol NamedBytes: Value, Hashable {
        static var field: Field { get }
        var bytes: [UInt8] { get }
        init(bytes: [UInt8])
    }

    /// Simple Pairing Hash C, C-192 or C-256 (CSS, Part A, 1.6).
    public struct PairingHash: NamedBytes {
        static var field: Field { Fields.hash }
        public var bytes: [UInt8]
    }

    /// Simple Pairing Randomizer R, R-192 or R-256 (CSS, Part A, 1.6).
    public struct PairingRandomizer: NamedBytes {
        static var field: Field { Fields.randomizer }
        public var bytes: [UInt8]
    }

    /// LE Secure Connections Confirmation Value (CSS, Part A, 1.6).
    public struct ConfirmationValue: NamedBytes {
        static var field: Field { Fields.confirmationValue }
        public var bytes: [UInt8]
    }

    /// LE Secure Connections Random Value (CSS, Part A, 1.6).
    public struct RandomValue: NamedBytes {
        static var field: Field { Fields.randomValue }
        public var bytes: [UInt8]
    }

    /// The Broadcast_Code from which the key of an encrypted broadcast isochronous group is derived (CSS, Part A,
    /// 1.22).
    public struct BroadcastCode: NamedBytes {
        static var field: Field { Fields.broadcastCode }
        public var bytes: [UInt8]
    }

    /// A mesh generic provisioning PDU (Mesh Protocol, 5.2.1).
    public struct MeshProvisioning: NamedBytes {
        static var field: Field { Fields.meshProvisioning }
        public var bytes: [UInt8]
    }

    /// A mesh network PDU (Mesh Protocol, 3.4.4).
    public struct MeshMessage: NamedBytes {
        static var field: Field { Fields.meshMessage }
        public var bytes: [UInt8]
    }

    /// A mesh beacon (Mesh Protocol, 3.10).
    public struct MeshBeacon: NamedBytes {
        static var field: Field { Fields.meshBeacon }
        public var bytes: [UInt8]
    }

    /// Messages between an access point and electronic shelf labels (ESL Profile).
    public struct ElectronicShelfLabel: NamedBytes {
        static var field: Field { Fields.shelfLabel }
        public var bytes: [UInt8]
    }
}

extension GAP.NamedBytes {
    public init(reading reader: inout ByteReader) throws(DecodeError) {
        self.init(bytes: reader.readRest(Self.field))
    }

    public func write(to writer: inout ByteWriter) {
        writer.write(bytes)
    }
}
