"""Operations of the window and the shell: options, a plan that can be shown, and its result."""
