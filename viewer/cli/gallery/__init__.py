"""``gallery``: a static site with pictures of models, their problems, and models that turn in the browser."""
