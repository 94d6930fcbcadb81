-- No version of the price book says something else than when a closed bill used it.
SELECT location, detail FROM out_finding WHERE reason = 'edited-version'
