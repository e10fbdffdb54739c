"""What follows from the selected values: power, energy, carbon, cost, efficiency, eras and the frontier.

One file per subject, called once by the build after imputation. What sources state too (power, energy, carbon, cost)
becomes rows of `estimates` that fill only the gaps of models; everything else is a column that its schema marks
`derived:`. The constants are in schemas/constants/derivation.yml.
"""
