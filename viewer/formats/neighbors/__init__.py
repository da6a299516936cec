"""Files with the stem of a model that belong to it: controller, control points, damage, ground plan."""
