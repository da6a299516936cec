"""The verbs that say what one file holds: listings, fields, materials, clips, poses, draws, effects."""
