import Bytes
import Conformance
import PluginKit

extension Paint {
    /// Writes `FAIL AQ-060`, or `WARN AQ-213`: a rule that was broken, with the severity of the result.
    func write(broken rule: RuleInfo, _ severity: RuleDefinition.Severity, to output: inout TextWriter) {
        switch severity {
        case .error: write("FAIL ", in: \.error, to: &output)
        case .warning: write("WARN ", in: \.warning, to: &output)
        }
        write(rule.id, in: \.name, to: &output)
    }
}
