"""Runs as labelled arrays, and on disk: Zarr or NetCDF, by xarray (extra `data`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..dynamics.energy import Energy
from ..model import ModelError
from ..model.files import format_yaml, parse_yaml
from ..model.units import coordinate_names, coordinate_units, dof_units
from ..system import System
from .run import Run

_FORMAT = "unmoored run 1"
_SUFFIXES = (".zarr", ".nc")


def as_dataset(run: Run) -> Any:
    """An `xarray.Dataset`: q, v, u, x, energies with units and frames; dimensions sample (if batched), time, …"""
    xarray = _xarray()
    lead = ("sample", "time") if run.batched else ("time",)
    tree = run.system.tree
    v_units = [f"{unit}/s" for unit in dof_units(tree)]
    variables: dict[str, Any] = {
        "q": ((*lead, "coordinate"), run.q, {"long_name": "configuration", "units": "see q_units"}),
        "v": ((*lead, "dof"), run.v, {"long_name": "velocity, body-fixed", "units": "see v_units"}),
        "q_units": (("coordinate",), list(coordinate_units(tree))),
        "v_units": (("dof",), v_units),
        "lengths": (("sample",) if run.batched else ("one",), run.lengths),
    }
    coordinates: dict[str, Any] = {
        "time": (("time",), run.t, {"units": "s"}),
        "coordinate": list(coordinate_names(tree)),
        "dof": list(run.system.dof_names),
    }
    if run.u is not None:
        variables["u"] = ((*lead, "input"), run.u, {"long_name": "inputs"})
        coordinates["input"] = list(run.input_names)
    if run.x is not None:
        variables["x"] = ((*lead, "actuator_state"), run.x, {"long_name": "states of actuators"})
        coordinates["actuator_state"] = list(run.state_names)
    if run.parameters is not None:
        variables["parameters"] = (("sample", "parameter") if run.batched else ("parameter",), run.parameters)
    energy = run.energy()
    for name in ("kinetic", "potential"):
        label = {"long_name": f"{name} energy", "units": "J"}
        variables[f"{name}_energy"] = (lead, np.broadcast_to(getattr(energy, name), run.q.shape[:-1]), label)
    for name, values in run.end.items():
        if values is not None and values.size:
            variables[f"end_{name}"] = (("ended", f"end_{name}_entry")[: values.ndim], values)
    return xarray.Dataset(variables, coordinates, _attributes(run))


def save_run(run: Run, path: str | Path) -> None:
    """Write a run to a .zarr directory or a .nc file."""
    path = _checked(path)
    data = as_dataset(run)
    if path.suffix == ".zarr":
        data.to_zarr(path, mode="w", consolidated=False, zarr_format=2)
    else:
        data.to_netcdf(path, engine="h5netcdf")


def load_run(path: str | Path, plant: Any = None) -> Run:
    """A run from a .zarr directory or a .nc file, bit for bit; the plant is not in the file and may be given."""
    path = _checked(path)
    if not path.exists():
        raise ModelError.single(
            "load_run", "path", expected="a file or directory that exists", given=str(path)
        )
    xarray = _xarray()
    if path.suffix == ".zarr":
        opened = xarray.open_zarr(path, consolidated=False)
    else:
        opened = xarray.open_dataset(path, engine="h5netcdf")
    with opened as lazy:
        data = lazy.load()
    if data.attrs.get("format") != _FORMAT:
        given = repr(data.attrs.get("format"))
        raise ModelError.single(str(path), "format", expected=repr(_FORMAT), given=given)
    return _from_dataset(data, plant)


def _from_dataset(data: Any, plant: Any) -> Run:
    values = {name: data[name].values if name in data else None for name in ("u", "x", "parameters")}
    system = System(parse_yaml(data.attrs["system"]))
    ends = {name: data[f"end_{name}"].values if f"end_{name}" in data else None for name in "tqvxu"}
    return Run(
        system=system,
        t=data["time"].values,
        q=data["q"].values,
        v=data["v"].values,
        **values,
        status=tuple(json.loads(data.attrs["status"])),
        lengths=data["lengths"].values,
        end={} if ends["t"] is None else ends,
        plant=plant,
        input_names=tuple(map(str, data["input"].values)) if "input" in data else (),
        state_names=tuple(map(str, data["actuator_state"].values)) if "actuator_state" in data else (),
        scenario=json.loads(data.attrs["scenario"]),
        provenance=json.loads(data.attrs["provenance"]),
        kept_energy=Energy(data["kinetic_energy"].values, data["potential_energy"].values),
    )


def _attributes(run: Run) -> dict[str, str]:
    return {
        "format": _FORMAT,
        "title": f"Motion of {run.system.name}",
        "conventions": "SI units; twists linear first, body-fixed; poses as rotation row by row, then position",
        "status": json.dumps(run.status),
        "system": format_yaml(run.system.tree),
        "scenario": json.dumps(run.scenario),
        "provenance": json.dumps(dict(run.provenance)),
    }


def _checked(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix not in _SUFFIXES:
        raise ModelError.single(
            str(path), "file type", expected=f"one of {', '.join(_SUFFIXES)}", given=path.suffix
        )
    return path


def _xarray() -> Any:
    try:
        import xarray
    except ImportError as missing:
        raise ImportError(
            "runs as datasets and on disk need xarray: pip install 'unmoored[data]'"
        ) from missing
    return xarray
