package import Profile

/// The description of a rule in reports.
package struct RuleInfo: Hashable, Sendable {
    /// `AQ-060`, `CORE-ATT-01`.
    package var id: String
    package var text: String
    package var role: RuleDefinition.Role
    package var severity: RuleDefinition.Severity
    /// The source of the rule: `Vol 3, Part F, 3.3.2`, or the name of a document.
    package var source: String?
    /// Advice for the developers of a device or client that breaks the rule.
    package var hint: String?
    /// The firmware quirk that breaks the rule.
    package var quirk: String?
    /// Id of the plugin whose profile declares the rule; nil for rules of the specification.
    package var plugin: String?
    /// Whether the rule is about the length and form of a characteristic's values, which profiles do not declare as
    /// rules.
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

    /// Whether the rule is about a side; rules about both sides are.
    package func concerns(_ side: RuleDefinition.Role) -> Bool { role == side || role == .traffic }

    /// The description of a rule declared by a profile.
    package init(_ definition: RuleDefinition, plugin: String) {
        self.init(
            definition.id, definition.text, role: definition.role, severity: definition.severity,
            source: definition.source, hint: definition.hint)
        quirk = definition.quirk
        self.plugin = plugin
    }
}
