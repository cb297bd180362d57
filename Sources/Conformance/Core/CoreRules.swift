/// The rules of the Bluetooth specification, in the order in which reports list them.
package enum CoreRules {
    package static let all: [any CoreRule.Type] = []
}
