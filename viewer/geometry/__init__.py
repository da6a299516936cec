"""Space: transforms, bounds, frusta and rays, over plain arrays."""
