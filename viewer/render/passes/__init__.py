"""The layers of a frame, one small class each; each sets every GL state it relies on."""
