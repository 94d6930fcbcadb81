"""Documents on paper: PDF, A4, Chinese and English."""
