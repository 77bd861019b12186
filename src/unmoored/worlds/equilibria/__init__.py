"""Equilibria of a plant, and how it moves near them."""
