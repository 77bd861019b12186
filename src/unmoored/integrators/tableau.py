"""Runge-Kutta methods as data: a solver is a tableau and a citation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method: stage i sees t + c_i h and Σ_j a_ij k_j, the step is Σ b_i k_i.

    `error` are the weights b − b̂ of the embedded error estimate, `dense` the polynomial weights of dense output:
    b_i(s) = Σ_p dense[i][p] s^(p+1). `first_same_as_last`: the last stage is the next step's first.
    """

    name: str
    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    citation: str
    error: tuple[float, ...] | None = None
    dense: tuple[tuple[float, ...], ...] | None = None
    first_same_as_last: bool = False

    @property
    def stages(self) -> int:
        """Number of stages."""
        return len(self.b)


EULER = Tableau(
    name="euler",
    order=1,
    a=((),),
    b=(1.0,),
    c=(0.0,),
    citation="Euler, Institutionum calculi integralis, 1768",
)

HEUN = Tableau(
    name="heun",
    order=2,
    a=((), (1.0,)),
    b=(1 / 2, 1 / 2),
    c=(0.0, 1.0),
    citation="Heun, Zeitschrift für Mathematik und Physik 45, 1900",
)

RK4 = Tableau(
    name="rkmk4",
    order=4,
    a=((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)),
    b=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
    c=(0.0, 1 / 2, 1 / 2, 1.0),
    citation="Kutta, Zeitschrift für Mathematik und Physik 46, 1901; on groups: Munthe-Kaas, BIT 38, 1998",
)

DORMAND_PRINCE = Tableau(
    name="dopri5",
    order=5,
    a=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    b=(35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0),
    c=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    error=(71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),
    # Shampine's quartic: b_i(1) = b_i, fourth order in between
    dense=(
        (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
        (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
        (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
    first_same_as_last=True,
    citation="Dormand & Prince, J. Comput. Appl. Math. 6, 1980; dense output: Shampine, Math. Comp. 46, 1986",
)

TABLEAUS: dict[str, Tableau] = {tableau.name: tableau for tableau in (EULER, HEUN, RK4, DORMAND_PRINCE)}
