import Cloud
import GattbenchCommands
import Store
import Web
import Workbench

await GattbenchProgram.run(
    ProgramServices(store: SQLiteStore.self, publisher: Publisher.self, web: WebServer.self))
