"""One small invented site with one complete month: its files, where they come from, and what they must add up to."""
