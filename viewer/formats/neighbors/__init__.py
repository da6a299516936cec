"""Files with the stem of a model: controller, control points, damage, ground plan."""
