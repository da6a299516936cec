"""Files next to a model under its stem: controller, control points, damage, ground plan."""
