import GattbenchCommands
import Web
import Workbench

await GattbenchProgram.run(ProgramServices(web: WebServer.self))
