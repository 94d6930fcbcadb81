"""Measures and colours of paper, in points and as hexadecimal RGB."""

from __future__ import annotations

MM = 72 / 25.4
PAGE_WIDTH = 210 * MM
PAGE_HEIGHT = 297 * MM
MARGIN = 18 * MM
WIDTH = PAGE_WIDTH - 2 * MARGIN
# Running head and foot stand in the margins; the body keeps clear of them.
BODY_TOP = PAGE_HEIGHT - MARGIN
BODY_BOTTOM = MARGIN + 2 * MM
BODY_HEIGHT = BODY_TOP - BODY_BOTTOM

INK = "#1A1F2B"
SECONDARY = "#5B6472"
HAIRLINE = "#D5DAE1"
ACCENT = "#1F4E79"
PALE = "#E9EDF2"

BODY = 9.5
BODY_LEADING = 14.0
TABLE = 8.5
TABLE_LEADING = 12.0
NOTE = 7.5
NOTE_LEADING = 10.5
HEADING_1 = 16.0
HEADING_2 = 12.0
HEADING_3 = 10.5
FIGURE = 26.0
