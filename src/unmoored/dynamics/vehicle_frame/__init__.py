"""Twists and inertias of a tree in one frame: that of the vehicle it hangs on, held still at this instant.

There the adjoint rule needs no transport: a joint m that moves by ε turns every twist b_k and every inertia
on or beyond it by ε ad_{b_m} (theory.md §1, §3), and the rest stays. Parts on different vehicles never meet
in the mass matrix, so each may have its own frame, which keeps numbers small wherever the vehicle is.
"""
