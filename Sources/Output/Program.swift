/// What reports and the command line say that made them.
package enum Program {
    package static let name = "gattbench"
    package static let version = "0.1.0"
}
