"""Which model a name stands for, and which models a text is about: questions to the table `aliases`."""
