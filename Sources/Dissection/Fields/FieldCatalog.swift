package import Bytes
package struct FieldCatalog: Sendable {
    private var byName: [String: [Field]] = [:]
    package init(_ fields: [Field]) { for f in fields { byName[f.name, default: []].append(f) } }
    package func fields(named name: String) -> [Field] { byName[name] ?? [] }
    package func nearest(to name: String) -> [String] { [] }
}
