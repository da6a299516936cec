"""The frame around the panels: menus, toolbar, status bar, layout."""
