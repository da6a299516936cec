"""Units put together of parts: their sheet, and parts that are tried on."""
