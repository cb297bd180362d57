public import Bytes

extension LL {
    /// Type of an advertising physical channel PDU, 4 bits (Vol 6, Part B, 2.3).
    ///
    /// The meaning of a type depends on the channel and position: see `AdvertisingContext`.
    public struct AdvertisingType: WireInteger {
        public var rawValue: UInt8

        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        init(_ rawValue: UInt8) {
            self.rawValue = rawValue
        }

        public static let advInd = Self(0x0)
        public static let advDirectInd = Self(0x1)
        public static let advNonconnInd = Self(0x2)
        /// SCAN_REQ and AUX_SCAN_REQ.
        public static let scanReq = Self(0x3)
        public static let scanRsp = Self(0x4)
        /// CONNECT_IND and AUX_CONNECT_REQ.
        public static let connectInd = Self(0x5)
        public static let advScanInd = Self(0x6)
        /// ADV_EXT_IND and all auxiliary PDUs except AUX_SCAN_REQ, AUX_CONNECT_REQ and AUX_CONNECT_RSP.
        public static let advExtInd = Self(0x7)
        public static let auxConnectRsp = Self(0x8)
    }

    /// The channel or position of an advertising PDU, which together with its type determines the PDU.
    public enum AdvertisingContext: UInt8, Sendable, Hashable {
        /// On channel 37, 38 or 39, or on an unknown channel.
        case primary
        /// On a secondary channel, indicated by the AuxPtr of an ADV_EXT_IND.
        case auxiliary
        /// Indicated by an AuxPtr on a secondary channel.
        case chain
        /// In a periodic advertising train.
        case periodic
        /// After AUX_SCAN_REQ.
        case scanResponse
        /// In a subevent of periodic advertising with responses.
        case subevent
        /// In a response slot of periodic advertising with responses.
        case subeventResponse

        /// From the auxiliary PDU type in pseudo-headers: 0 AUX_ADV_IND, 1 AUX_CHAIN_IND, 2 AUX_SYNC_IND, 3
        /// AUX_SCAN_RSP.
        public init(auxiliaryType: UInt8) {
            switch auxiliaryType {
            case 1: self = .chain
            case 2: self = .periodic
            case 3: self = .scanResponse
            default: self = .auxiliary
            }
        }
    }

    /// An advertising physical channel PDU without its two-byte header.
    public protocol AdvertisingPDU: WireFormat {
        /// Reads the payload. `advertisingData` reads the advertising data in it and returns the bytes to store.
        init(reading reader: inout ByteReader, advertisingData: AdvertisingDataReader) throws(DecodeError)
    }

    /// Reads advertising data up to the end of the reader.
    public typealias AdvertisingDataReader = (inout ByteReader) throws(DecodeError) -> [UInt8]

    /// The properties of an advertising PDU.
    public struct AdvertisingRow: Sendable {
        public let type: AdvertisingType
        /// The contexts in which the type has this meaning; nil for all.
        public let contexts: [AdvertisingContext]?
        public let name: String
        /// The header bits that the PDU uses.
        public let header: HeaderUse
        public let pdu: any AdvertisingPDU.Type
    }

    /// The header bits that an advertising PDU uses; the others are reserved.
    public enum HeaderUse: Sendable, Hashable {
        case txAdd
        case txAddRxAdd
        case chSelTxAdd
        case chSelTxAddRxAdd
        /// TxAdd and RxAdd, if the extended header has AdvA and TargetA.
        case extended
    }
}

extension LL.AdvertisingType {
    /// Every PDU that the specification defines (Vol 6, Part B, 2.3, table 2.3).
    public static let table: [LL.AdvertisingRow] = [
        row(.advInd, nil, "ADV_IND", .chSelTxAdd, LL.UndirectedAdvertising.self),
        row(.advDirectInd, nil, "ADV_DIRECT_IND", .chSelTxAddRxAdd, LL.DirectedAdvertising.self),
        row(.advNonconnInd, nil, "ADV_NONCONN_IND", .txAdd, LL.UndirectedAdvertising.self),
        row(.scanReq, [.primary], "SCAN_REQ", .txAddRxAdd, LL.ScanRequest.self),
        row(.scanReq, nil, "AUX_SCAN_REQ", .txAddRxAdd, LL.ScanRequest.self),
        row(.scanRsp, nil, "SCAN_RSP", .txAdd, LL.ScanResponse.self),
        row(.connectInd, [.primary], "CONNECT_IND", .chSelTxAddRxAdd, LL.ConnectInd.self),
        row(.connectInd, nil, "AUX_CONNECT_REQ", .txAddRxAdd, LL.ConnectInd.self),
        row(.advScanInd, nil, "ADV_SCAN_IND", .txAdd, LL.UndirectedAdvertising.self),
        row(.advExtInd, [.primary], "ADV_EXT_IND", .extended, LL.ExtendedAdvertising.self),
        row(.advExtInd, [.chain], "AUX_CHAIN_IND", .extended, LL.ExtendedAdvertising.self),
        row(.advExtInd, [.periodic], "AUX_SYNC_IND", .extended, LL.ExtendedAdvertising.self),
        row(.advExtInd, [.scanResponse], "AUX_SCAN_RSP", .extended, LL.ExtendedAdvertising.self),
        row(.advExtInd, [.subevent], "AUX_SYNC_SUBEVENT_IND", .extended, LL.ExtendedAdvertising.self),
        row(.advExtInd, [.subeventResponse], "AUX_SYNC_SUBEVENT_RSP", .extended, LL.ExtendedAdvertising.self),
        row(.advExtInd, nil, "AUX_ADV_IND", .extended, LL.ExtendedAdvertising.self),
        row(.auxConnectRsp, nil, "AUX_CONNECT_RSP", .extended, LL.ExtendedAdvertising.self),
    ]

    private static func row(
        _ type: Self, _ contexts: [LL.AdvertisingContext]?, _ name: String, _ header: LL.HeaderUse,
        _ pdu: any LL.AdvertisingPDU.Type
    ) -> LL.AdvertisingRow {
        LL.AdvertisingRow(type: type, contexts: contexts, name: name, header: header, pdu: pdu)
    }

    /// The row of a type in a context; nil for a type that the specification does not define.
    public func row(in context: LL.AdvertisingContext) -> LL.AdvertisingRow? {
        Self.table.first { $0.type == self && $0.contexts?.contains(context) ?? true }
    }

    /// The specification's name, e.g. "ADV_IND".
    public func name(in context: LL.AdvertisingContext) -> String? { row(in: context)?.name }
}

extension LL.CaptureHeader {
    /// The context of an advertising PDU, as far as the sniffer recorded it. Legacy PDUs occur only on primary
    /// channels, and only one type stands for several auxiliary PDUs (Vol 6, Part B, 2.3.1.1 and 2.3.4). For other
    /// types, the sniffer's bits are ignored.
    public func advertisingContext(of type: LL.AdvertisingType) -> LL.AdvertisingContext {
        switch type {
        case .advInd, .advDirectInd, .advNonconnInd, .scanRsp, .advScanInd: return .primary
        default: break
        }
        if let auxiliary { return type == .advExtInd ? auxiliary : .auxiliary }
        return channel?.isPrimary ?? true ? .primary : .auxiliary
    }
}
