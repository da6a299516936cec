"""What is drawn into a frame, one small class per layer; each sets every GL state it relies on."""
