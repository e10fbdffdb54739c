-- title: states of sources' files that a third party recorded and that are missing here
-- remedy: a copy of such a file with its md5 is entered with traincompute pull SOURCE --file FILE --as-of DATE
SELECT date, file, md5
FROM witnesses ANTI JOIN snapshots USING (md5)
ORDER BY date DESC, file
