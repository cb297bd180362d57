package import PluginKit
package enum ProfileSource {
    package static func profile(named name: String) throws -> Profile {
        try ProfileReader.read(try TextFile.read(name), file: name)
    }
}
