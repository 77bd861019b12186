"""The wheel in an empty environment, with what pip brings along for it (`make long`)."""

from tests.repo.test_wheel import built_wheel, check_it_runs, installed


def test_wheel_works_with_what_it_requires(tmp_path):
    wheel, _ = built_wheel(tmp_path)
    environment = tmp_path / "empty"
    check_it_runs(environment, installed(wheel, environment))
