-- title: mentions of hardware that is no row of the table hardware
-- remedy: add the spelling to schemas/vocab/hardware.yml
SELECT mention, count(*) AS count FROM model_hardware WHERE hardware_id IS NULL
GROUP BY mention ORDER BY count DESC, mention
