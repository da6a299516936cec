"""A scene compared with the model that it was exported from: what differs, as changes of the model."""
