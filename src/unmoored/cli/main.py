"""The commands of `unmoored`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ..error_roots import UnmooredError
from ..model import ModelError
from ..system import load, systems
from ..version import __version__
from . import file_commands as checking
from . import show
from .campaign_command import campaign_command
from .plot_command import plot_command
from .printing import escape, json_text, use_any_terminal
from .render_command import render_command
from .view_command import view_command

app = typer.Typer(
    name="unmoored",
    help="Vehicle-manipulator systems: robot arms on spacecraft, underwater vehicles, ships, drones and rovers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Source = Annotated[str, typer.Argument(help="A built-in system's name, or a .yaml, .urdf or .xml file.")]
out = Console(emoji=False)


@app.command("systems")
def systems_command(as_json: Json = False) -> None:
    """List the built-in systems."""
    found = systems()
    _print(found, as_json, lambda: show.systems_table(found))


@app.command()
def info(source: Source, as_json: Json = False) -> None:
    """Show a system: its tree, degrees of freedom, masses and conventions."""
    system = load(source)
    _print(show.description(system), as_json, lambda: show.system_tree(system))


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The file, or the folder of a campaign.")],
    as_json: Json = False,
) -> None:
    """Check a system, scenario or campaign file, or all bytes in a campaign's folder; report all problems at once.

    Exit code 1 if it has any.
    """
    report = checking.check_file(file)
    _print(report.as_dict(), as_json, lambda: report.text())
    if report.problems:
        raise typer.Exit(1)


@app.command()
def run(
    scenario: Annotated[
        str | None, typer.Argument(help="A built-in scenario's name, or a .yaml file.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("-o", "--out", "--output", help="Where results go; out/NAME if not given.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="key=value: replace a value of the file, such as duration=5."),
    ] = None,
    sabotage: Annotated[
        str | None, typer.Option(help="One of the sabotages that the file states: its job must fail.")
    ] = None,
    samples: Annotated[int | None, typer.Option(min=1, help="Number of samples of random sweeps.")] = None,
    backend: Annotated[str | None, typer.Option(help="cpu, cuda or numpy.")] = None,
    report: Annotated[Path | None, typer.Option(help="Also write a report to this .html file.")] = None,
    as_json: Json = False,
) -> None:
    """Run a scenario and write its results; without one, list the built-in ones.

    Exit code 1 for errors, 3 if a sample's numbers went wrong, 4 if the job was not done (FAIL), 130 after Ctrl-C, with
    what was computed kept.
    """
    from . import run_command as running

    if scenario is None:
        running.list_scenarios(out, as_json)
        return
    given = (*(settings or ()), *([f"samples={samples}"] if samples else ()))
    code = running.run_scenario(
        out,
        scenario,
        folder,
        settings=given,
        sabotage=sabotage,
        backend=backend,
        report=report,
        as_json=as_json,
    )
    if code:
        raise typer.Exit(code)


@app.command()
def convert(
    source: Source,
    target: Annotated[Path, typer.Argument(help="The .yaml or .urdf file to write.")],
    base: Annotated[
        str | None, typer.Option(help="Joint under the root link of a URDF file, such as Free.")
    ] = None,
    merge_fixed: Annotated[
        bool, typer.Option(help="Melt bodies on fixed joints of a URDF file together.")
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace the target if it exists.")] = False,
) -> None:
    """Write a system (YAML, URDF, MJCF or a built-in one) to a YAML or URDF file."""
    from .file_commands import convert_file

    out.print(escape(convert_file(source, target, base, merge_fixed, overwrite)))


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("-o", "--out", "--output", help="Where results go.")] = Path("out"),
) -> None:
    """Run three scenarios, in space, under water and through the vertical, and write results, pictures and a report."""
    from .demo_command import run_demonstration

    run_demonstration(out, folder)


app.command("view")(view_command)
app.command("plot")(plot_command)
app.command("render")(render_command)
app.command("campaign")(campaign_command)


@app.command()
def bench(
    path: Annotated[Path | None, typer.Argument(hidden=True)] = None,
    file: Annotated[
        Path | None,
        typer.Option("-o", "--out", "--output", help="Also write the figures as JSON to this file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure speed against Pinocchio and MuJoCo, in one run, as ratios."""
    from .bench import run_benchmarks

    if path is not None:
        raise ModelError.single("bench", "arguments", expected=f"-o {path} for a file", given=str(path))
    run_benchmarks(Console(stderr=True, emoji=False) if as_json else out, file, as_json)


@app.command()
def version() -> None:
    """Print the version."""
    out.print(__version__)


def _print(data: Any, as_json: bool, view: Any) -> None:
    if as_json:
        print(json_text(data))
    else:
        out.print(view())


def main() -> None:
    """Run the command line; errors of the user's making are told in a few lines, without a traceback."""
    warnings.showwarning = _tell_warning
    use_any_terminal()
    try:
        app()
    except ModelError as error:
        _fail([str(problem) for problem in error.problems])
    except UnmooredError as error:
        _fail([str(error)])
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        _fail([f"{error.filename}: {error.strerror}" if error.filename else str(error)])
    except KeyboardInterrupt:
        sys.exit(130)


def _tell_warning(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
    """A warning in one line, without the place in our code that gave it."""
    Console(stderr=True, emoji=False).print(
        f"[yellow]warning:[/] {escape(str(message))}", highlight=False, soft_wrap=True
    )


def _fail(lines: list[str]) -> None:
    console = Console(stderr=True, emoji=False)
    for line in lines:
        console.print(f"[red]error:[/] {escape(line)}", highlight=False, soft_wrap=True)
    sys.exit(1)
