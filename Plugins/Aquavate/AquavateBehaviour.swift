import PluginKit

/// Behaviour that a puck's profile cannot express: rules across several values, and the actions of a puck and its app.
struct AquavateBehaviour: PluginBehaviour {
    func makeRules(dialect: String?) -> [any DeviceRule] {
        guard let dialect = dialect.flatMap({ Dialect(rawValue: $0) }) else { return [PuckRuleSet([DialectRule()])] }
        return [PuckRuleSet(Self.both(dialect) + (dialect == .shipped ? Self.shipped : Self.required))]
    }

    func makeOracle(dialect: String?, quirks: QuirkSelection) -> (any DeviceOracle)? {
        switch dialect.flatMap({ Dialect(rawValue: $0) }) {
        case .shipped: try? ShippedOracle(quirks)
        case .prd: try? RequiredOracle()
        case nil: nil
        }
    }

    func makeTwin(_ settings: TwinSettings) throws(TwinFault) -> (any DeviceTwin)? {
        switch try Dialect(ofTwin: settings) {
        case .shipped: try PuckTwin<ShippedFirmware>(settings, .shipped)
        case .prd: try PuckTwin<RequiredFirmware>(settings, .prd)
        }
    }

    func makeClient(_ settings: TwinSettings) -> (any DeviceClient)? {
        guard let dialect = try? Dialect(ofTwin: settings) else { return nil }
        return try? PuckApp(dialect)
    }

    var stimuli: [StimulusDefinition] { PuckStimulus.allCases.map(\.definition) }
    var tasks: [StimulusDefinition] { AppTask.allCases.map(\.definition) }
    var quirks: [QuirkDefinition] { PuckQuirk.allCases.map(\.definition) }

    private static func both(_ dialect: Dialect) -> [any PuckRule] {
        [
            AdvertisingRules(dialect), TableRules(dialect), AccessRules(dialect), IdentityRules(dialect),
            ClientAccessRules(dialect), LengthRules(), DialectRule(), SubscriptionRules(),
        ]
    }

    private static var shipped: [any PuckRule] {
        [
            AdvertisingTimes(), StateRules(), DailyTotalRules(), DeletionRules(), ConfigRules(), TransferRules(),
            RecordRules(), CountRules(), ActivityRules(), CalibrationRules(), MeasurementRules(), SleepRules(),
            ClientSyncRules(), ClientCommandRules(), ClientConfigRules(), ClientCalibrationRules(), ClientLinkRules(),
        ]
    }

    private static var required: [any PuckRule] {
        [
            RequiredAdvertisingTimes(), RequiredRecordRules(), RequiredSyncRules(), RequiredCountRules(),
            RequiredStatusRules(),
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
