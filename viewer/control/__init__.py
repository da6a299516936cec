"""The state of the window, and the controllers that panels, keys and menus call.

Nothing here draws: the window, its dialogs and its pictures are known by protocols.
"""
