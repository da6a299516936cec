"""References between payloads: the names stored in one, the resources that they lead to, and back."""
