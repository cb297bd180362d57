import Bluetooth
package import BluetoothCrypto
package import Bytes
import Captures
package import Conversation
import Dissection
package import Keys
import PluginKit
import Profile

/// What `redact` has to know of a whole capture before it replaces anything: addresses, keys, numbers that identify
/// devices, and which bytes of several frames belong together.
package final class RedactionSurvey {
    private let plugins: PluginSet
    private let dissector: Dissector
    private let frame = DissectedFrame()
    private var addresses: Set<UInt64> = []
    private var identityKeys: Set<[UInt8]> = []
    private var keys: Set<[UInt8]> = []
    /// Numbers that a profile marks, with their bits.
    private var numbers: [UInt64: Int] = [:]
    private var collector = FragmentCollector()
    private var treatments = FieldTreatments()

    /// Addresses, keys and numbers kept, of each.
    private static let limit = 65_536

    package init(plugins: PluginSet) {
        self.plugins = plugins
        dissector = Dissector(plugins: plugins)
    }

    /// Adds the frames of a tracked batch.
    package func add(_ batch: borrowing TrackedBatch) {
        for metadata in batch.metadata {
            dissector.dissect(metadata, of: batch, into: frame)
            guard let treatment = FrameTreatment(frame, metadata, in: batch, &treatments) else { continue }
            let bytes = Array(batch.packets.bytes[metadata.packet.range])
            add(treatment.frame, bytes)
            if let pdu = treatment.pdu { add(pdu, Array(batch.bytes(of: metadata.pdu))) }
            if let assembled = treatment.assembled { add(assembled, Array(batch.bytes(of: metadata.assembled))) }
            addIdentityKeys(metadata, batch, bytes)
            collector.add(treatment, metadata, in: batch)
        }
    }

    private func add(_ treatment: BufferTreatment, _ bytes: [UInt8]) {
        for step in treatment.steps where step.range.upperBound <= bytes.count {
            switch step.treatment {
            case .address: add(address: step.value)
            case .key where step.range.count == Replacements.keySize: insert(Array(bytes[step.range]), into: &keys)
            case .name, .text, .search: addAddresses(inText: Array(bytes[step.range]))
            case .sensitive where step.isNumber && (2...4).contains(step.range.count) && step.value > 0xFF:
                if numbers.count < Self.limit, step.mask == 0 { numbers[step.value] = 8 * step.range.count }
            default: break
            }
        }
    }

    private func add(address: UInt64) {
        if address != 0, address != 0xFFFF_FFFF_FFFF, addresses.count < Self.limit { addresses.insert(address) }
    }

    private func insert(_ key: [UInt8], into keys: inout Set<[UInt8]>) {
        if keys.count < Self.limit, key.contains(where: { $0 != 0 }) { keys.insert(key) }
    }

    /// Adds the addresses that a text has in full.
    private func addAddresses(inText text: [UInt8]) {
        guard text.count >= 2 * Replacements.addressSize else { return }
        for digits in HexDigits.all(in: text) where digits.count == 2 * Replacements.addressSize {
            add(address: HexDigits.value(of: digits.map { text[$0] }))
        }
    }

    /// Adds the Identity Resolving Keys that a frame has: of SMP, and of commands for the resolving list.
    private func addIdentityKeys(
        _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch, _ bytes: [UInt8]
    ) {
        for recorded in frame.recorder.fields where recorded.field.label.hasSuffix(Self.identityKeyLabel) {
            add(identityKey: recorded, metadata, batch, bytes)
        }
        for recorded in frame.recorder.fields where recorded.field == SMP.Fields.identityResolvingKey {
            add(identityKey: recorded, metadata, batch, bytes)
        }
    }

    private static let identityKeyLabel = " IRK"

    private func add(
        identityKey recorded: RecordedField, _ metadata: FrameMetadata, _ batch: borrowing TrackedBatch,
        _ bytes: [UInt8]
    ) {
        let range = Int(recorded.offset)..<(Int(recorded.offset) + Int(recorded.length))
        let buffer: [UInt8]
        switch recorded.buffer {
        case .frame: buffer = bytes
        case .reassembled where metadata.pdu.place == .reassembled: buffer = Array(batch.bytes(of: metadata.pdu))
        default: return
        }
        guard !recorded.isGenerated, range.count == Replacements.keySize, range.upperBound <= buffer.count else {
            return
        }
        insert(Array(buffer[range]), into: &identityKeys)
    }

    /// Ends the survey.
    ///
    /// - Parameters:
    ///   - devices: the devices of the capture.
    ///   - known: keys that were given, and those that the capture showed.
    package func redactor(_ options: RedactionOptions, devices: DeviceTable, keys known: KeyRing) -> Redactor {
        for key in known.keys {
            if case .identityResolving(let value) = key.value { insert(value.wireBytes, into: &identityKeys) }
            if let bytes = key.value.secretBytes { insert(bytes, into: &keys) }
        }
        let pseudonyms = Pseudonyms(secret: options.secret)
        var random: Set<UInt64> = []
        for device in devices.devices {
            guard let address = device.address, address.kind == .random else { continue }
            random.insert(address.address.value)
        }
        let replaced = AddressPseudonyms(
            addresses, random: random, identityKeys: identityKeys, keepsOUI: options.keepsOUI, pseudonyms)
        let numbers = Dictionary(
            uniqueKeysWithValues: numbers.map { ($0, pseudonyms.replacement(ofNumber: $0, bits: $1)) })
        let signs = plugins.plugins.flatMap(\.profile.profile.match)
            .compactMap { evidence -> NameSign? in
                guard case .name(let text) = evidence.sign else { return nil }
                return NameSign(text)
            }
        let texts = TextPseudonyms(
            pseudonyms, tails: AddressTails(addresses: replaced.known, numbers: numbers), signs: signs)
        let replacements = Replacements(
            pseudonyms, replaced, texts, keys: keys.union(keys.map { $0.reversed() }), timeShift: options.timeShift)
        return Redactor(replacements, dissector, collector.buffers, options)
    }
}

/// What a run of `redact` does.
package struct RedactionOptions: Sendable {
    /// The secret that all replacements follow from.
    package var secret: SecretKey
    /// How much earlier all times become: whole weeks, so that the day of the week and the time of day stay.
    package var timeShift: TimeSpan
    /// Whether public addresses keep the bytes of their manufacturer.
    package var keepsOUI = false

    /// Options with a secret and a shift that nobody knows.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let value = UInt128(generator.next()) << 64 | UInt128(generator.next())
        self.init(secret: SecretKey(value), weeks: Int.random(in: Self.weeks, using: &generator))
    }

    package init(secret: SecretKey, weeks: Int) {
        self.secret = secret
        timeShift = TimeSpan(nanoseconds: Int64(weeks) * 7 * 86_400 * 1_000_000_000)
    }

    /// One to eight years.
    private static let weeks = 52...416
}

extension KnownKey.Value {
    /// The key as packets carry it, with the least significant byte first; nil for what packets do not carry.
    fileprivate var secretBytes: [UInt8]? {
        switch self {
        case .longTerm(let key), .shortTerm(let key), .identityResolving(let key), .signature(let key),
            .session(let key, _), .broadcastCode(let key), .advertising(let key, _):
            key.wireBytes
        case .temporary, .passkey, .privateKey: nil
        }
    }
}
