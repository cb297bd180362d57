import Bluetooth
package import Conversation
package import Dissection
import PluginKit
import Profile

extension FieldCatalog {
    /// Every field that a frame can have, including those of the plugins.
    package static func all(plugins: PluginSet) -> FieldCatalog {
        FieldCatalog(
            FrameFields.all + LL.Fields.all + HCI.Fields.all + L2CAP.Fields.all + ATT.Fields.all + GATT.Fields.all
                + SMP.Fields.all + GAP.Fields.all + [GAP.layer] + [
                    HCI.commandLayer, HCI.eventLayer, HCI.aclLayer, HCI.synchronousLayer,
                ]
                + [HCI.isochronousLayer, LL.layer, L2CAP.layer, ATT.layer, SMP.layer]
                + plugins.fields, aliases: plugins.plugins.flatMap(\.profile.aliases))
    }
}
