"""What the window and the shell both do, each as options, a plan that can be shown, and its result."""
