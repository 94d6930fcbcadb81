"""The kit of every paper document: fonts, text, tables, charts, pages.

A document is a sequence of `Block`s that know their height before anything is drawn, so the number of pages is known
when the first footer is printed, and breaks are chosen, not suffered. Text is drawn as it is: there is no markup, so
nothing that users write can be taken for it.
"""
