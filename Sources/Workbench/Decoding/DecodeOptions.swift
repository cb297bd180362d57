package import Bluetooth
package import Conversation
import Dissection
package import Keys
package import Output

/// Options of `decode`.
package struct DecodeOptions: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        case text, fields, ndjson, csv
    }

    package var format = Format.text
    package var filter: String?
    /// Columns of `fields` and `csv`.
    package var fields: [String] = []
    package var layout = FieldsPrinter.Layout()
    /// Maximum number of frames to read.
    package var frameLimit = Int.max
    package var showsTree = false
    package var showsBytes = false
    package var timeFormat = TextPrinter.TimeFormat.relative
    package var paint = Paint.none
    /// Attribute tables imported by the user.
    package var tables = GATT.KnownTables()
    /// Keys that encrypted packets are opened with.
    package var keys = KeyRing()
    package var plugins = PluginSet.none
    /// Whether attributes whose discovery was not captured are named from the handles known to the profile.
    package var guesses = true

    package init() {}

    /// Whether the output needs the plugins: text and NDJSON always do; columns and filters only if they name fields or
    /// values that plugins decode. Reading the profiles takes some milliseconds, which other output avoids.
    package var needsPlugins: Bool {
        guard format == .fields || format == .csv else { return true }
        let catalog = FieldCatalog.all(plugins: .none)
        var names = fields
        if let filter {
            guard let parsed = try? DisplayFilter(filter, catalog: catalog) else { return true }
            names += parsed.fieldNames
        }
        return names.contains { catalog[$0].isEmpty } || DissectionScope(fieldNames: names).contains(.application)
    }

    /// The fields that the user can name. Building the plugins' fields reads all their types, so the catalog is empty
    /// unless the user names fields or filters.
    fileprivate var catalog: FieldCatalog {
        filter == nil && fields.isEmpty ? FieldCatalog([]) : .all(plugins: plugins)
    }
}

extension DecodeJob {
    /// Throws `UnknownField` or `FilterError`.
    package init(_ options: DecodeOptions) throws {
        let catalog = options.catalog
        let printer: any FramePrinter =
            switch options.format {
            case .text:
                TextPrinter(
                    tree: options.showsTree, bytes: options.showsBytes, paint: options.paint,
                    timeFormat: options.timeFormat)
            case .ndjson: NDJSONPrinter(showsDeviceTrees: options.showsTree)
            case .fields, .csv: try FieldsPrinter(options.fields, catalog: catalog, layout: options.layout)
            }
        self.init(printer: printer)
        filter = try options.filter.map { text throws(FilterError) in try DisplayFilter(text, catalog: catalog) }
        plugins = options.plugins
        guesses = options.guesses
        importedTables = options.tables
        keys = options.keys
        frameLimit = options.frameLimit
        looksAhead = needsLookAhead
    }
}
