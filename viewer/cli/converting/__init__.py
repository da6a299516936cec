"""The verbs that convert: ``export``, ``import`` and ``texture``, and the formats of other programs."""
