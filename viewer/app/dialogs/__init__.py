"""Dialogs: choosing a file or folder, messages."""
