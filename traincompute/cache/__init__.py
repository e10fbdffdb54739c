"""Which releases there are, which of them is read, and how its files come here whole and are kept."""
