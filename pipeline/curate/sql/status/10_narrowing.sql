-- title: facts that would narrow the numbers of notable models of at least 1e25 and 1e24 FLOP most
-- remedy: traincompute curate add-fact
-- needs: missing_facts
SELECT name, field, half_width_dex AS now_dex, then_dex, narrows_1e25, narrows_1e24 FROM missing_facts
WHERE is_notable AND narrows_1e25 + narrows_1e24 > 0 ORDER BY narrows_1e25 + narrows_1e24 DESC, name, field
