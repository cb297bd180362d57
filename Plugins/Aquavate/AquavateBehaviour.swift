import PluginKit

/// What the profile of a puck cannot say: rules that look at more than single values.
struct AquavateBehaviour: PluginBehaviour {
    func makeJudges(dialect: String?) -> [any ConformanceJudge] {
        guard let dialect = dialect.flatMap({ Dialect(rawValue: $0) }) else { return [PuckJudge([DialectRule()])] }
        return [PuckJudge(Self.both(dialect) + (dialect == .shipped ? Self.shipped : Self.required))]
    }

    private static func both(_ dialect: Dialect) -> [any PuckRules] {
        [
            AdvertisingRules(dialect), TableRules(dialect), AccessRules(dialect), IdentityRules(dialect),
            AccessDiscipline(dialect), LengthRules(), DialectRule(),
        ]
    }

    private static var shipped: [any PuckRules] {
        [
            AdvertisingTimes(), SubscriptionRules(), StateRules(), DailyTotalRules(), ConfigRules(), TransferRules(),
            RecordRules(), CountRules(), ActivityRules(), CalibrationRules(), MeasurementRules(), SleepRules(),
            SyncDiscipline(), CommandDiscipline(), ConfigDiscipline(), CalibrationDiscipline(), LinkDiscipline(),
        ]
    }

    private static var required: [any PuckRules] { [RequiredAdvertisingTimes(), RequiredSyncRules()] }
}
