"""Actions of menus, keys and the command palette."""
