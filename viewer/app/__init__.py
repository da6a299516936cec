"""The program with a window: composition, frame loop, dialogs, images."""
