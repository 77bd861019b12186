"""The sea: spectra, waves, what a ship does in them, and what of it can be compensated."""
