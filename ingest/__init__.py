"""From the world into the raw store: what the sources said, word for word. Knows no price and no report."""
