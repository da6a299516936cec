"""What the sample game folder is made of: shapes, paint, motion, and the models built from them."""
