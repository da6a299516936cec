"""ImGui panels over the session: they read one frozen frame and queue changes; never moderngl."""
