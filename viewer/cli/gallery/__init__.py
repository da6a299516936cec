"""A static site with pictures of models, counts, problems, and each model turning in the browser."""
