"""Sessions of two Bumble hosts, one of which is patched so that it fails."""

FAMILIES = ("pairing", "attributes", "subscriptions", "queues", "links", "wellbehaved")
