"""The frame around the panels: menus, toolbar, status bar, layout, actions and their keys."""
