-- title: chip-hours that are not chips × hours
-- remedy: look for nodes taken for chips, one epoch for the run, or all runs of a paper for one; correct what is wrong
-- A factor of 1.5: chips come and go, and days are rounded.
SELECT model_id, 'chip_hours' AS field, chip_hours AS stated, hardware_quantity * training_hours AS expected,
say(stated) || ' chip-hours, but ' || say(hardware_quantity) || ' chips for ' || say(training_hours) || ' hours are '
    || say(expected) AS evidence,
list(claim_id) AS claim_ids
FROM models JOIN selected USING (model_id)
WHERE field IN ('chip_hours', 'hardware_quantity', 'training_hours') AND apart(stated, expected, 1.5)
GROUP BY model_id, models.chip_hours, hardware_quantity, training_hours
ORDER BY abs(log10(stated / expected)) DESC, model_id
