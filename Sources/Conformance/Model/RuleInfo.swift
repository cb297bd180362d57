package import Profile

/// What reports say of a rule.
package struct RuleInfo: Hashable, Sendable {
    /// `AQ-060`, `CORE-ATT-01`.
    package var id: String
    package var text: String
    package var role: RuleDefinition.Role
    package var severity: RuleDefinition.Severity
    /// Where it stands: `Vol 3, Part F, 3.3.2`, the name of a document.
    package var source: String?
    /// For those who broke it.
    package var hint: String?
    /// The known misbehaviour of real firmware that breaks it.
    package var quirk: String?
    /// The plugin whose profile declares it; nil for those of the specification.
    package var plugin: String?
    /// Whether it is about the length and the form of a characteristic's values, which no profile declares.
    package var isAboutForm = false

    package init(
        _ id: String, _ text: String, role: RuleDefinition.Role, severity: RuleDefinition.Severity = .error,
        source: String? = nil, hint: String? = nil
    ) {
        self.id = id
        self.text = text
        self.role = role
        self.severity = severity
        self.source = source
        self.hint = hint
    }

    /// Whether it is among the rules about one side: those that are about both are.
    package func concerns(_ side: RuleDefinition.Role) -> Bool { role == side || role == .traffic }

    /// A rule that a profile declares.
    package init(_ definition: RuleDefinition, plugin: String) {
        self.init(
            definition.id, definition.text, role: definition.role, severity: definition.severity,
            source: definition.source, hint: definition.hint)
        quirk = definition.quirk
        self.plugin = plugin
    }
}
