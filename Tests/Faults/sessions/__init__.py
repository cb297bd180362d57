"""Sessions of Bluetooth LE, built from the specification: a host's HCI log and the air of the same session."""
