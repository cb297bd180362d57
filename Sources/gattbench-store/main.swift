import GattbenchCommands
import Store
import Workbench

await GattbenchProgram.run(ProgramServices(store: SQLiteStore.self))
