import PluginKit

/// Behaviour that a puck's profile cannot express: rules across several values, and the actions of a puck and its app.
struct AquavateBehaviour: PluginBehaviour {
    func makeRules(dialect: String?) -> [any Rule] {
        let pucks = PuckTracker()
        guard let dialect = dialect.flatMap({ Dialect(rawValue: $0) }) else { return [DialectRule(pucks), pucks] }
        let own = dialect == .shipped ? Self.shipped(pucks) : Self.required(pucks)
        return Self.both(dialect, pucks) + own + [pucks]
    }

    func makeOracle(dialect: String?, quirks: QuirkSelection) -> (any DeviceOracle)? {
        switch dialect.flatMap({ Dialect(rawValue: $0) }) {
        case .shipped: try? ShippedOracle(quirks)
        case .prd: try? PRDOracle()
        case nil: nil
        }
    }

    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? {
        switch try Dialect(ofTwin: settings) {
        case .shipped: try PuckTwin<ShippedFirmware>(settings, .shipped)
        case .prd: try PuckTwin<PRDFirmware>(settings, .prd)
        }
    }

    func makeClient(_ settings: TwinSettings) -> (any DeviceClient)? {
        guard let dialect = try? Dialect(ofTwin: settings) else { return nil }
        return try? PuckApp(dialect, seed: settings.seed)
    }

    var stimuli: [StimulusDefinition] { PuckStimulus.allCases.map(\.definition) }
    var tasks: [StimulusDefinition] { AppTask.allCases.map(\.definition) }
    var quirks: [QuirkDefinition] { PuckQuirk.allCases.map(\.definition) }

    private static func both(_ dialect: Dialect, _ pucks: PuckTracker) -> [any Rule] {
        [
            AdvertisingRules(dialect), TableRules(dialect, pucks), AccessRules(dialect, pucks), IdentityRules(dialect),
            ClientAccessRules(dialect, pucks), LengthRules(), DialectRule(pucks), SubscriptionRules(),
        ]
    }

    private static func shipped(_ pucks: PuckTracker) -> [any Rule] {
        [
            ClientReconnectionRule(), AdvertisingTimes(pucks), StateRules(pucks), RawReadingRule(pucks),
            DailyTotalRules(pucks), DeletionRules(pucks), ConfigRules(pucks), SettingsRules(), TransferRules(pucks),
            RecordRules(pucks), CountRules(pucks), ActivityRules(pucks), CalibrationRules(pucks),
            MeasurementRules(), SleepRules(pucks), IdleConnectionRule(pucks),
            ClientSyncRules(pucks), ClientCommandRules(pucks), ClientDeletionRule(), ClientConfigRules(pucks),
            ClientCalibrationRules(pucks), ClientLinkRules(pucks),
        ]
    }

    private static func required(_ pucks: PuckTracker) -> [any Rule] {
        [
            PRDAdvertisingTimes(), PRDRecordRules(), PRDSyncRules(), PRDCountRules(pucks),
            PRDStatusRules(),
        ]
    }
}

extension Dialect {
    /// The dialect of a twin; `shipped` if the settings name none.
    fileprivate init(ofTwin settings: TwinSettings) throws(TwinFault) {
        guard let dialect = Dialect(rawValue: settings.dialect ?? Dialect.shipped.rawValue) else {
            throw TwinFault("\(settings.dialect ?? ""): a puck has no such dialect; its dialects are shipped and prd")
        }
        self = dialect
    }
}
