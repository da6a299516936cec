"""From a batch to its texture: wear row, material, phase, with the trace of every step."""
