"""From a mart to the screen."""
