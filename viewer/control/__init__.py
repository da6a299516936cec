"""What panels, keys and menus ask for: the state of the window, and the controllers that work on it.

Nothing here draws: the window, its dialogs and its pictures are known by protocols.
"""
