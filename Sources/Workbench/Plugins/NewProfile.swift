package import BluetoothTypes
package import PluginKit

/// Where drafts of profiles come from.
package enum NewProfile {
    /// The device of a capture that is to be described: the one with the address, else the most interesting one.
    package static func device(
        in survey: CaptureSurvey, address: String?, file: String
    ) throws(FileError) -> CaptureSurvey.Device {
        guard let first = survey.devices.first else {
            throw FileError(
                file: file,
                "no device tells its attributes here; capture from the beginning of a connection, have the client "
                    + "forget the device first so that it discovers again, or give its attribute table with --gatt")
        }
        guard let address else { return first }
        let wanted = address.lowercased()
        guard let device = survey.devices.first(where: { $0.address?.address.description == wanted }) else {
            let known = survey.devices.map(\.title).joined(separator: ", ")
            throw FileError(
                file: file, "no device with the address \(address) tells its attributes; others do: \(known)")
        }
        return device
    }

    /// Attributes whose values every device's profile leaves to the plugin of the standard services.
    package static func standardAttributes() throws(ProfileFaults) -> Set<UUID> {
        let general = try PluginLibrary.builtIn().entries.filter(\.plugin.isGeneral)
        return Set(general.flatMap { $0.plugin.profile.attributes.keys })
    }

    /// What a C header says.
    package static func read(header file: String, id: String) throws(FileError) -> CHeader.Reading {
        let text = try TextFile.read(file)
        do throws(CHeaderError) {
            return try CHeader.read(text, id: id)
        } catch {
            let reasons = error.notes.map { "\n\(file):\($0.line): \($0.text)" }.joined()
            throw FileError(file: file, "no struct of fixed-width types in it\(reasons)")
        }
    }
}
