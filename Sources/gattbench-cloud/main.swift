import Cloud
import GattbenchCommands
import Store
import Workbench

await GattbenchProgram.run(ProgramServices(store: SQLiteStore.self, publisher: Publisher.self))
