"""From a batch to its texture: wear row, material, phase, with a trace of every step."""
