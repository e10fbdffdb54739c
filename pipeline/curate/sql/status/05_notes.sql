-- title: facts from notes that the newest snapshot closed, because the cell that they explain changed
-- remedy: read the note again and enter what it says with traincompute curate add-fact
FROM closed_notes
