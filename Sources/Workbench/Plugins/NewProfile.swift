import Bluetooth
import Bytes
import Captures
package import PluginKit
package import Profile
package import ProfileTools

/// Sources of draft profiles.
package enum NewProfile {
    /// Selects the device to describe: the one with the address, else the one with the most data. Devices whose values
    /// `general` decodes completely come last.
    package static func device(
        in survey: CaptureSurvey, address: String?, file: String, general: GeneralReaders = GeneralReaders()
    ) throws(FileError) -> CaptureSurvey.Device {
        guard let first = survey.devices.first else {
            throw FileError(
                file: file,
                "no device here has discovered attributes or advertises service data or manufacturer data; capture from the "
                    + "beginning of a connection, have the client forget the device first so that it discovers again, "
                    + "or give its attribute table with --gatt")
        }
        guard let address else {
            return survey.devices.first { $0.isServer || !$0.advertised.allSatisfy(general.read) } ?? first
        }
        let wanted = address.lowercased()
        guard let device = survey.devices.first(where: { $0.address?.address.description == wanted }) else {
            let known = survey.devices.prefix(listed).map(\.title).joined(separator: ", ")
            let more = survey.devices.count > listed ? " and \(survey.devices.count - listed) more" : ""
            throw FileError(
                file: file,
                "no device with the address \(address) has discovered attributes or advertises data; others do: "
                    + known + more)
        }
        return device
    }

    /// Maximum number of devices listed in an error.
    private static let listed = 20

    /// The plugins that describe any device; draft profiles leave out the values that these decode.
    package static func generalReaders() throws(ProfileFaults) -> GeneralReaders {
        GeneralReaders(try PluginLibrary.builtIn().entries.map(\.plugin).filter(\.isGeneral))
    }

    /// Reads the structs of a C header.
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

/// Attributes, services and advertised data that general plugins decode for any device.
package struct GeneralReaders: Sendable {
    private(set) var attributes: Set<UUID> = []
    private(set) var services: Set<UUID> = []
    private var advertised: [GAP.DataOwner: [AdvertisedReader]] = [:]

    package init(_ plugins: [DevicePlugin] = []) {
        for profile in plugins.map(\.profile) {
            attributes.formUnion(profile.attributes.keys)
            services.formUnion(profile.profile.services.map(\.uuid))
            for reader in profile.advertising { advertised[reader.carrier, default: []].append(reader) }
        }
    }

    /// Whether the plugins decode all values of advertised data.
    func read(_ data: CaptureSurvey.AdvertisedData) -> Bool {
        guard let readers = advertised[data.owner] else { return false }
        return data.values.allSatisfy { value in
            readers.contains { $0.layout(of: value.span.rawBytes, in: NoContext()) != nil }
        }
    }
}

/// Profile folders created by the program.
package enum ProfileFolder {
    /// Writes a profile into a folder, which is created if it does not exist; never overwrites a file. Returns the
    /// file's path.
    package static func write(_ profile: String, to folder: String) throws(FileError) -> String {
        let path = "\(folder)/profile.yaml"
        do {
            if !Folder.isFolder(folder) { try Folder.make(folder) }
            try FileDescriptor.creating(path).write(Array(profile.utf8))
        } catch {
            if Folder.exists(path) {
                throw FileError(file: path, "exists already; choose another folder with -o")
            }
            throw FileError(file: folder, error.advice.isEmpty ? error.text : "\(error.text); \(error.advice)")
        }
        return path
    }
}
