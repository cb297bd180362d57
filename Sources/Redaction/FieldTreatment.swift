import Bluetooth
import Bytes
import Dissection

/// What becomes of the bytes of a field.
enum FieldTreatment: Hashable {
    /// Structure of the protocol, or a value that a profile explains.
    case keep
    /// A text or bytes of a value that a profile explains: addresses and keys in it are replaced.
    case search
    /// Bytes whose meaning is not known. They are replaced where no other field explains them.
    case open
    /// Bytes after a text or after data: those that are zero stay.
    case padding
    case address, name, text, key, encrypted, sensitive
    /// Steps of this many nanoseconds since an epoch, in seconds since 1970.
    case date(epoch: Int64, step: Int64)
    /// Year in two bytes, month and day in one each (GATT Specification Supplement, Date Time).
    case civilDate

    /// The kind of replacement; nil for what stays.
    var kind: RedactionKind? {
        switch self {
        case .keep, .search: nil
        case .open, .padding: .unexplained
        case .address: .address
        case .name: .name
        case .text: .text
        case .key: .key
        case .encrypted: .encrypted
        case .sensitive: .sensitive
        case .date, .civilDate: .date
        }
    }

    /// The treatment of a field that a profile's layout reads.
    fileprivate static func ofProfile(_ field: Field) -> FieldTreatment {
        if field == FrameFields.undecoded { return .open }
        if field.format == .bytes, field.name.hasSuffix("_padding") { return .padding }
        switch field.format {
        case .address: return .address
        case .text: return field.isSensitive ? .name : .search
        case .timestamp(let epoch, let step): return field.isSensitive ? .sensitive : .date(epoch: epoch, step: step)
        case .bytes: return field.isSensitive ? .sensitive : .search
        default: return field.isSensitive ? .sensitive : .keep
        }
    }

    /// The treatment of a field of the specification, of a transport or of a recorder.
    fileprivate static func ofSpecification(_ field: Field) -> FieldTreatment {
        if field == FrameFields.encrypted { return .encrypted }
        let name = field.name.split(separator: ".").last.map(String.init) ?? ""
        if keys.contains(name) { return .key }
        if places.contains(name) { return .sensitive }
        if name == "unused" { return .padding }
        switch field.format {
        case .address: return .address
        case .text: return names.contains(name) ? .name : .text
        case .bytes: return structures.contains(name) || field.name.hasPrefix("ppi.") ? .keep : .open
        default: return .keep
        }
    }

    /// Fields of names of devices, by the last part of their name.
    private static let names: Set = ["device_name", "broadcast_name", "remote_name", "adapter_name"]

    /// Fields of positions in advertising data (Indoor Positioning Service, 2.1).
    private static let places: Set = [
        "latitude", "longitude", "local_north_coordinate", "local_east_coordinate", "altitude", "floor_number",
    ]

    /// Fields beside those marked as secret that are keys or help to compute them: values of pairing (Vol 3, Part H, 3.5
    /// and 3.6), of starting encryption (Vol 6, Part B, 2.4.2.4) and of resolvable identifiers.
    private static let keys: Set = [
        "cfm_value", "random_value", "public_key_x", "public_key_y", "dhkey_check", "ediv", "random_number",
        "encrypted_diversifier", "master_session_key_diversifier", "slave_session_key_diversifier",
        "master_session_initialization_vector", "slave_session_initialization_vector", "le_random_number",
        "le_encrypted_diversifier", "le_local_p_256_public_key", "giv", "gskd", "prand", "hash", "drbg_nonce",
        "signature", "randomizer", "payload_mic",
    ]

    /// Fields of bytes that are structure of the protocol.
    private static let structures: Set = [
        "channel_map", "le_channel_map", "channel_classification", "afh_ch_classification", "local_supported_cmds",
        "codec_config", "codec_capability",
    ]
}

/// The treatments of the fields so far.
struct FieldTreatments {
    private var known: [Field: FieldTreatment] = [:]

    /// The treatment of a field that was read from the bytes.
    ///
    /// - Parameter isOfProfile: whether a profile's layout reads it.
    mutating func treatment(of recorded: RecordedField, isOfProfile: Bool) -> FieldTreatment {
        if recorded.isKey { return .key }
        let field = recorded.field
        if let treatment = known[field] { return treatment }
        let treatment = isOfProfile ? FieldTreatment.ofProfile(field) : .ofSpecification(field)
        known[field] = treatment
        return treatment
    }
}
