-- Rules that look at the month before (tiers by the year, last month's use, running credits) found it built.
SELECT location, detail FROM out_finding WHERE reason = 'month-before-missing'
