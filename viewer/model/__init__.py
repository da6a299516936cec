"""The meaning of the records, without GL and user interface."""
