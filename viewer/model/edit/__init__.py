"""Changes as data: applied to a payload, followed by their consequences, turned into splices of its file."""
