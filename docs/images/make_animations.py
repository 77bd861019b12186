"""Make the README's animations: python docs/images/make_animations.py"""

from pathlib import Path

import unmoored as um
from unmoored.views import render

HERE = Path(__file__).parent
SIZE = (560, 340)


def main() -> None:
    """Run two built-in scenarios and film them."""
    servicer = um.load_scenario("free_floating_servicer").run()
    render(servicer, HERE / "servicer.gif", size=SIZE, speed=2.0, title="free-floating servicer")
    underwater = um.load_scenario("station_keeping").run()
    render(
        underwater,
        HERE / "underwater.gif",
        size=SIZE,
        speed=4.0,
        azimuth=-38.0,
        title="station keeping in a current",
    )


if __name__ == "__main__":
    main()
