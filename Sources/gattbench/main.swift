import GattbenchCommands

await GattbenchProgram.run()
