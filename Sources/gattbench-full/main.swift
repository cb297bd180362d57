import Cloud
import GattbenchCommands
import Web
import Workbench

await GattbenchProgram.run(ProgramServices(publisher: Publisher.self, web: WebServer.self))
