"""Knowledge of drinks: recipes and measures, glass outlines, colours and garnishes."""
