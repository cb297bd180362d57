import GattbenchCommands
import Kettle

await GattbenchProgram.run(plugins: GattbenchProgram.plugins + [Kettle.self])
