"""What `import unmoored` brings: NumPy and llvmlite; file readers and extras load when they are first used."""

import subprocess
import sys

LATER = [
    "casadi", "cupy", "email", "gymnasium", "jax", "matplotlib", "mujoco", "pydantic", "rich", "ruamel.yaml",
    "scipy", "ssl", "torch", "trimesh", "typer", "viser", "xarray", "zarr",
]  # fmt: skip
PROGRAM = f"""
import sys
import unmoored as um
print([name for name in {LATER} if name in sys.modules])
assert {{"load_scenario", "scenarios"}} <= set(dir(um))
um.load("free_flyer_arm7")
assert "pydantic" in sys.modules
assert um.load_scenario("actuator_failure").name
"""


def test_nothing_that_is_not_used_yet():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "[]"
