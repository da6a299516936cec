"""Two folders compared: installs, or an install and its backup."""
