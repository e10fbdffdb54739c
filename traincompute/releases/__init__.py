"""Which releases there are, how they come here whole, and whether they are what they say."""
