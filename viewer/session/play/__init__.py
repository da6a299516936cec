"""What is played: clips, channels, frame ranges and materials, and the time they are at."""
