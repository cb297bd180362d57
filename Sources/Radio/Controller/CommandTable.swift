import Bluetooth

/// The commands that a controller supports.
struct CommandTable: Sendable {
    /// A command with its handler.
    struct Entry: Sendable {
        let row: HCI.CommandRow
        /// Feature that the command requires; nil for none.
        let feature: ControllerFeature?
        let handler: Handler
    }

    typealias Handler = @Sendable (inout VirtualController, Command) throws(Refusal) -> Returned

    private let entries: [UInt16: Entry]
    /// Result of Read Local Supported Commands.
    let supported: HCI.SupportedCommands

    /// Selects the commands for a controller's features.
    init(for configuration: ControllerConfiguration) {
        var entries: [UInt16: Entry] = [:]
        var supported = HCI.SupportedCommands()
        for entry in Self.all where entry.feature.map({ configuration.features.contains($0) }) ?? true {
            entries[entry.row.opcode.rawValue] = entry
            supported.insert(entry.row.opcode)
        }
        self.entries = entries
        self.supported = supported
    }

    subscript(opcode: HCI.Opcode) -> Entry? { entries[opcode.rawValue] }

    /// All commands with their handlers; names and answers are defined in the HCI command table.
    static let all: [Entry] = [setup, lists, legacy, extended, connections, links, security].flatMap { $0 }

    private static func command(
        _ opcode: UInt16, needs feature: ControllerFeature? = nil, _ handler: @escaping Handler
    ) -> [Entry] {
        HCI.CommandRow.table[HCI.Opcode(rawValue: opcode)].map { [Entry(row: $0, feature: feature, handler: handler)] }
            ?? []
    }

    private static let setup: [Entry] = [
        command(0x0C01) { (it, command) throws(Refusal) in try it.setEventMask(command) },
        command(0x0C03) { (it, command) throws(Refusal) in try it.reset(command) },
        command(0x0C63) { (it, command) throws(Refusal) in try it.setEventMaskPage2(command) },
        command(0x0C6C) { (it, command) throws(Refusal) in it.readLEHostSupport() },
        command(0x0C6D) { (it, command) throws(Refusal) in try it.writeLEHostSupport(command) },
        command(0x1001) { (it, command) throws(Refusal) in it.readLocalVersion() },
        command(0x1002) { (it, command) throws(Refusal) in it.readSupportedCommands() },
        command(0x1003) { (it, command) throws(Refusal) in it.readSupportedFeatures() },
        command(0x1005) { (it, command) throws(Refusal) in it.readBufferSize() },
        command(0x1009) { (it, command) throws(Refusal) in it.readAddress() },
        command(0x2001) { (it, command) throws(Refusal) in try it.setLEEventMask(command) },
        command(0x2002) { (it, command) throws(Refusal) in it.readLEBufferSize() },
        command(0x2003) { (it, command) throws(Refusal) in it.readLEFeatures() },
        command(0x2005) { (it, command) throws(Refusal) in try it.setRandomAddress(command) },
        command(0x201C) { (it, command) throws(Refusal) in it.readSupportedStates() },
        command(0x2060) { (it, command) throws(Refusal) in it.readLEBufferSizeV2() },
        command(0x204B, needs: .extendedAdvertising) { (it, command) throws(Refusal) in it.readTransmitPower() },
    ].flatMap { $0 }

    private static let lists: [Entry] = [
        command(0x200F) { (it, command) throws(Refusal) in it.readAcceptListSize() },
        command(0x2010) { (it, command) throws(Refusal) in try it.clearAcceptList() },
        command(0x2011) { (it, command) throws(Refusal) in try it.addToAcceptList(command) },
        command(0x2012) { (it, command) throws(Refusal) in try it.removeFromAcceptList(command) },
        command(0x2027, needs: .privacy) { (it, command) throws(Refusal) in try it.addToResolvingList(command) },
        command(0x2028, needs: .privacy) { (it, command) throws(Refusal) in try it.removeFromResolvingList(command) },
        command(0x2029, needs: .privacy) { (it, command) throws(Refusal) in try it.clearResolvingList() },
        command(0x202A, needs: .privacy) { (it, command) throws(Refusal) in it.readResolvingListSize() },
        command(0x202B, needs: .privacy) { (it, command) throws(Refusal) in try it.readPeerResolvable(command) },
        command(0x202C, needs: .privacy) { (it, command) throws(Refusal) in try it.readLocalResolvable(command) },
        command(0x202D, needs: .privacy) { (it, command) throws(Refusal) in try it.setAddressResolution(command) },
        command(0x202E, needs: .privacy) { (it, command) throws(Refusal) in try it.setPrivateTimeout(command) },
        command(0x204E, needs: .privacy) { (it, command) throws(Refusal) in try it.setPrivacyMode(command) },
    ].flatMap { $0 }

    private static let legacy: [Entry] = [
        command(0x2006) { (it, command) throws(Refusal) in try it.setAdvertisingParameters(command) },
        command(0x2007) { (it, command) throws(Refusal) in try it.readAdvertisingPower() },
        command(0x2008) { (it, command) throws(Refusal) in try it.setAdvertisingData(command) },
        command(0x2009) { (it, command) throws(Refusal) in try it.setScanResponseData(command) },
        command(0x200A) { (it, command) throws(Refusal) in try it.setAdvertisingEnable(command) },
        command(0x200B) { (it, command) throws(Refusal) in try it.setScanParameters(command) },
        command(0x200C) { (it, command) throws(Refusal) in try it.setScanEnable(command) },
        command(0x200D) { (it, command) throws(Refusal) in try it.createConnection(command) },
    ].flatMap { $0 }

    private static let extendedHandlers: [(UInt16, Handler)] = [
        (0x2035, { (it, command) throws(Refusal) in try it.setSetRandomAddress(command) }),
        (0x2036, { (it, command) throws(Refusal) in try it.setExtendedParameters(command) }),
        (0x2037, { (it, command) throws(Refusal) in try it.setExtendedData(command) }),
        (0x2038, { (it, command) throws(Refusal) in try it.setExtendedScanResponse(command) }),
        (0x2039, { (it, command) throws(Refusal) in try it.setExtendedEnable(command) }),
        (0x203A, { (it, command) throws(Refusal) in try it.readMaximumDataLength() }),
        (0x203B, { (it, command) throws(Refusal) in try it.readNumberOfSets() }),
        (0x203C, { (it, command) throws(Refusal) in try it.removeSet(command) }),
        (0x203D, { (it, command) throws(Refusal) in try it.clearSets() }),
        (0x2041, { (it, command) throws(Refusal) in try it.setExtendedScanParameters(command) }),
        (0x2042, { (it, command) throws(Refusal) in try it.setExtendedScanEnable(command) }),
        (0x2043, { (it, command) throws(Refusal) in try it.extendedCreateConnection(command) }),
    ]
    private static let extended = extendedHandlers.flatMap { command($0.0, needs: .extendedAdvertising, $0.1) }

    private static let connections: [Entry] = [
        command(0x0406) { (it, command) throws(Refusal) in try it.disconnect(command) },
        command(0x041D) { (it, command) throws(Refusal) in try it.readRemoteVersion(command) },
        command(0x1405) { (it, command) throws(Refusal) in try it.readRSSI(command) },
        command(0x200E) { (it, command) throws(Refusal) in try it.cancelCreateConnection() },
        command(0x2014) { (it, command) throws(Refusal) in try it.setChannelClassification(command) },
        command(0x2015) { (it, command) throws(Refusal) in try it.readChannelMap(command) },
        command(0x2016) { (it, command) throws(Refusal) in try it.readRemoteFeatures(command) },
    ].flatMap { $0 }

    private static let links: [Entry] = [
        command(0x2013) { (it, command) throws(Refusal) in try it.updateConnection(command) },
        command(0x2020, needs: .connectionParameterRequest) { (it, command) throws(Refusal) in
            try it.acceptParameters(command)
        },
        command(0x2021, needs: .connectionParameterRequest) { (it, command) throws(Refusal) in
            try it.refuseParameters(command)
        },
        command(0x2022, needs: .dataLength) { (it, command) throws(Refusal) in try it.setDataLength(command) },
        command(0x2023, needs: .dataLength) { (it, command) throws(Refusal) in it.readSuggestedDataLength() },
        command(0x2024, needs: .dataLength) { (it, command) throws(Refusal) in try it.writeSuggestedDataLength(command)
        },
        command(0x202F, needs: .dataLength) { (it, command) throws(Refusal) in it.readMaximumLinkDataLength() },
        command(0x2030, needs: .phy2M) { (it, command) throws(Refusal) in try it.readPHY(command) },
        command(0x2031, needs: .phy2M) { (it, command) throws(Refusal) in try it.setDefaultPHY(command) },
        command(0x2032, needs: .phy2M) { (it, command) throws(Refusal) in try it.setPHY(command) },
    ].flatMap { $0 }

    private static let security: [Entry] = [
        command(0x2017, needs: .encryption) { (it, command) throws(Refusal) in try it.encrypt(command) },
        command(0x2018, needs: .encryption) { (it, command) throws(Refusal) in it.generateRandom() },
        command(0x2019, needs: .encryption) { (it, command) throws(Refusal) in try it.enableEncryption(command) },
        command(0x201A, needs: .encryption) { (it, command) throws(Refusal) in try it.replyWithKey(command) },
        command(0x201B, needs: .encryption) { (it, command) throws(Refusal) in try it.replyWithoutKey(command) },
        command(0x2025, needs: .dataLength) { (it, command) throws(Refusal) in it.readPublicKey() },
        command(0x2026, needs: .dataLength) { (it, command) throws(Refusal) in try it.generateDHKey(command) },
        command(0x205E, needs: .phy2M) { (it, command) throws(Refusal) in try it.generateDHKeyV2(command) },
    ].flatMap { $0 }
}
