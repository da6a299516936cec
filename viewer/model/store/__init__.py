"""Addresses, the files behind them, and writing whole or not at all."""
