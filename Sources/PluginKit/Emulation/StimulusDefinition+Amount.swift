extension StimulusDefinition {
    /// The amount of a stimulus, brought into its range; where it has none, the usual one or else the smallest. 0 for what
    /// has no amounts.
    public func amount(of stimulus: Stimulus) -> Double {
        guard let amount else { return 0 }
        let given = stimulus.amount ?? amount.usual ?? amount.range.lowerBound
        return given.isNaN ? amount.range.lowerBound : min(max(given, amount.range.lowerBound), amount.range.upperBound)
    }
}
