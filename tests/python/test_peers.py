"""The pure parts of bench/peers: growth, ratios, what is skipped, the report."""

import sys
from pathlib import Path

import pytest

PEERS = Path(__file__).resolve().parents[2] / "bench" / "peers"
sys.path.insert(0, str(PEERS))
import figures  # noqa: E402
import problem  # noqa: E402
import report  # noqa: E402
import schedule  # noqa: E402
from schedule import Plan, Results, Task  # noqa: E402

CASE = "poisson log, laplace"


def filled(seconds: dict, peer="gpboost", what="value", threads=1, **more) -> Results:
    results = Results()
    add(results, seconds, peer, what, threads, **more)
    return results


def add(results, seconds, peer, what="value", threads=1, **more):
    for n, s in seconds.items():
        results.add(Task(what, n, threads, CASE, peer),
                    {"seconds": s, "value": -float(n), "peak_megabytes": 110.0,
                     "import_megabytes": 100.0, "versions": {peer: "1.0"}} | more)


def test_exponent_of_a_power_is_its_power():
    assert figures.exponent({n: 3e-9 * n**2.7 for n in (500, 1000, 2000)}) == pytest.approx(2.7)


def test_exponent_ignores_small_sizes_and_needs_three():
    cubic = {n: 1e-9 * n**3 for n in (500, 1000, 2000)}
    assert figures.exponent({200: 5.0} | cubic) == pytest.approx(3)
    assert figures.exponent({200: 1.0, 500: 2.0, 1000: 3.0}) is None


def test_ratio_is_theirs_by_ours():
    assert figures.ratio(6.0, 2.0) == 3
    assert figures.ratio(None, 2.0) is None and figures.ratio(2.0, None) is None


@pytest.mark.parametrize("value, text", [
    (0.0041234, "0.00412"), (35.06, "35.1"), (12345.6, "12346"), (0.99999, "1.000"), (None, "–"),
    (0, "0")])
def test_numbers_have_three_digits_and_no_exponent(value, text):
    assert figures.write_number(value) == text


def test_memory_in_matrices():
    assert figures.matrices(8 * 1000 * 1000 * 3 / 2**20, 1000) == pytest.approx(3)


def test_a_size_is_skipped_when_cubic_growth_passes_the_limit():
    limit = schedule.LIMIT["value"]
    slow, quick = filled({1000: limit / 7.9}), filled({1000: limit / 8.1})
    task = Task("value", 2000, 1, CASE, "gpboost")
    assert "1000 took" in schedule.reason_to_skip(task, slow)
    assert schedule.reason_to_skip(task, quick) is None


def test_ggpm_is_followed_further():
    seconds = {1000: schedule.LIMIT["value"] / 4}
    assert schedule.reason_to_skip(Task("value", 2000, 1, CASE, "ggpm"),
                                   filled(seconds, "ggpm")) is None


def test_after_a_failure_no_larger_size_is_run():
    results = Results()
    results.add(Task("fit", 500, 1, CASE, "gpy"), {"error": "killed"})
    assert "killed" in schedule.reason_to_skip(Task("fit", 1000, 1, CASE, "gpy"), results)
    assert "killed" in schedule.reason_to_skip(Task("fit", 1000, 2, CASE, "gpy"), results)


def test_tasks_go_from_small_to_large_and_only_where_a_program_can():
    plans = {"ggpm": Plan([CASE], ["value", "fit", "predict"]), "mgcv": Plan([CASE], ["fit"])}
    todo = schedule.tasks(plans, quick=False)
    for what in schedule.LIMIT:
        sizes = [t.n for t in todo if t.what == what]
        assert sizes == sorted(sizes)
    assert {t.what for t in todo if t.peer == "mgcv"} == {"fit"}
    assert {t.n for t in todo if t.what == "predict"} == set(schedule.PREDICT_SIZES)
    assert len(set(todo)) == len(todo)


def test_small_sizes_are_expected_to_grow_more_slowly():
    seconds = {200: schedule.LIMIT["fit"] / 7}  # (500 / 200)^2 < 7 < (500 / 200)^3
    assert schedule.reason_to_skip(Task("fit", 500, 1, CASE, "gpy"),
                                   filled(seconds, "gpy", "fit")) is None


def test_results_are_kept_and_forgotten(tmp_path):
    path = tmp_path / "results.jsonl"
    task = Task("value", 200, 1, CASE, "gpy")
    Results(path).add(task, {"seconds": 1.5})
    with path.open("a") as file:
        file.write('{"task": {"what": ')  # killed while writing
    assert Results(path).by_task == {task: {"seconds": 1.5}}
    assert Results(path, fresh=True).by_task == {} and not path.exists()


def test_report_shows_seconds_ratio_and_growth():
    results = filled({n: 2e-9 * n**3 for n in (500, 1000, 2000)})
    add(results, {n: 1e-9 * n**3 for n in (500, 1000, 2000, 4000)}, "ggpm")
    text = report.write(results, {"processor": "abacus"}, "### dpotrf\n")
    assert "| processor | abacus |" in text and "### dpotrf" in text
    assert "| GPBoost | 1 | 0.250 (2.0×) | 2.00 (2.0×) | 16.0 (2.0×) | too long | 3.0 |" in text
    assert "| ggpm | 1 | 0.125 | 1.00 | 8.00 | 64.0 | 3.0 |" in text
    assert f"| {CASE} | GPBoost | 2000 | -2000.0000 | -2000.0000 | +0.0e+00 |" in text
    assert f"| {CASE} | GPBoost | 2000 | 10.0 | 0.3 |" in text


def test_report_says_what_failed():
    results = filled({500: 1.0})
    results.add(Task("value", 500, 1, CASE, "gpy"), {"error": "no | module"})
    text = report.write(results, {}, "")
    assert "no / module" in text


def test_readme_table_takes_the_largest_common_size():
    results = filled({500: 4.0, 1000: 9.0})
    add(results, {500: 1.0, 1000: 3.0, 2000: 5.0}, "ggpm")
    assert f"| GPBoost | {CASE} | 3.0× (n = 1000) | – | – |" in report.readme_table(results)


def test_every_adapter_has_a_title_and_speaks_of_known_cases():
    known = {case.label for case in problem.CASES}
    adapters = {path.stem: path for path in (PEERS / "adapters").glob("[a-z]*.py")}
    assert set(adapters) == set(report.TITLES)
    for name, path in adapters.items():
        plan = schedule.read_plan(path)
        assert plan.cases and set(plan.cases) <= known, name
        assert plan.what and set(plan.what) <= set(schedule.LIMIT), name
    assert schedule.read_plan(adapters["mgcv"]).what == ["fit", "predict"]


def test_problem_is_read_at_the_truth_or_at_the_start(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x1,x2,x3,x4,y\n" + "\n".join(f"{i},2,3,4,{i + 0.5}" for i in range(5)))
    case = problem.Case.parse("gamma-shape log, kld")
    truth = problem.load(str(table), case, 3, 2, start=False)
    assert truth.X.shape == (3, 4) and list(truth.y) == [0.5, 1.5, 2.5]
    assert truth.dispersion == problem.DISPERSION["gamma-shape"] and truth.threads == 2
    assert problem.load(str(table), case, 3, 1, start=True).dispersion == 2 * truth.dispersion
    with pytest.raises(ValueError, match="fewer than 6"):
        problem.load(str(table), case, 6, 1, start=False)
