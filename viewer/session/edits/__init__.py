"""Unsaved changes: the undo steps of each file, and the questions about them.

`edited_file` has the steps, `save_sheet` what a save will write, `questions` what the window asks:
`SaveSheet`, `CloseQuestion`, `WritingQuestion`, `Conflict`, `Recovery`, `RemovalQuestion`. Panels find the
open question in `State.question` and answer it through a controller.
"""
