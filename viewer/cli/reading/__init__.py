"""The verbs that say what files hold: listings, fields, materials, clips, poses, problems, differences."""
