"""What is exported, imported and checked: the state of the windows to and from other programs."""
