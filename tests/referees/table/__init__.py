"""The table of edits in Blender: what the file says, what the model says after its import, what differs."""
