"""The explorer: a static folder to look at the dataset in a browser, from disk or from any static host, without a server.

`write` puts it together from page/ (HTML, CSS and plain scripts as they are), settings.yml and the published tables;
`pages` turns the Markdown of docs/ into the pages below docs/, in the frame of docs/frame.html.
"""
