"""Faults by family; importing a family registers its faults."""

FAMILIES = ("link", "discovery", "security", "gatt", "flow")
