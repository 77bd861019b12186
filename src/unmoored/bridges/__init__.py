"""What hands systems and plants on to other libraries: a module for each, imported when it is asked for."""
