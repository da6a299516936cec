"""Skies of missions at any hour: their lights, scene color and fog."""
