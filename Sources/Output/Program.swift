/// Name and version of the program, for reports and the command line.
package enum Program {
    package static let name = "gattbench"
    package static let version = "0.1.0"
}
