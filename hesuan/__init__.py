"""The front door: the command line, the site's configuration, the demo."""

from importlib.metadata import version

__version__ = version("hesuan")
