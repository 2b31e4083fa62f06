"""Tables as people have them, on the command line: at the first try, told, predicted, in parts."""

import gzip

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from consensa.cli import main


@pytest.fixture
def customers(tmp_path):
    """A table with ids, numbers of different units, categories, dates and 10 % gaps; and its groups."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 200)
    frame = pd.DataFrame(
        {
            "income": np.exp(rng.normal(9 + group, 0.2)).round(),
            "age": rng.normal(30 + 12 * group, 3).round(),
            "plan": np.array(["free", "team", "gold"])[group],
            "newsletter": np.where(rng.random(200) < 0.2 + 0.3 * group, "yes", "no"),
            "since": (pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, 200), "D")).strftime(
                "%Y-%m-%d"
            ),
        }
    )
    frame = frame.astype(object).mask(rng.random(frame.shape) < 0.1)
    frame["customer_no"] = np.arange(200) + 5000
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path, group


def test_a_table_goes_through_at_the_first_try(customers, tmp_path, capsys):
    path, group = customers
    labels, report = tmp_path / "labels.csv", tmp_path / "report.html"
    assert main(["run", str(path), "-k", "auto", "-o", str(labels), "--report", str(report), "-m", "20"]) == 0
    told = capsys.readouterr().err
    assert "numbers: income, age; yes or no: newsletter; dates: since; categories: plan (3 levels)" in told
    assert "left out: customer_no (id)" in told
    assert "are gaps, most of them in" in told
    found = pd.read_csv(labels)
    assert list(found) == ["customer_no", "label", "confidence"]
    assert found["customer_no"].tolist() == list(range(5000, 5200))
    assert adjusted_rand_score(group, found["label"]) > 0.5
    assert report.stat().st_size > 10_000


def test_new_rows_parts_and_packed_files(customers, tmp_path):
    path, group = customers
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    common = ["-k", "3", "-m", "10", "-q", "-o"]
    assert main(["run", str(path), *common, str(tmp_path / "a.csv"), "--save", str(tmp_path / "m.npz")]) == 0
    assert main(["run", str(packed), *common, str(tmp_path / "b.csv"), "--memory", "8GB"]) == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    assert main(["predict", str(tmp_path / "m.npz"), str(packed), "-q", "-o", str(tmp_path / "p.csv")]) == 0
    a, p = pd.read_csv(tmp_path / "a.csv"), pd.read_csv(tmp_path / "p.csv")
    assert a[["customer_no", "label"]].equals(p)
    assert adjusted_rand_score(group, a["label"]) > 0.9


def test_units_are_told(tmp_path, capsys):
    rng = np.random.default_rng(0)
    path = tmp_path / "t.csv"
    pd.DataFrame({"age": rng.uniform(18, 80, 60), "income": rng.uniform(1e4, 9e4, 60)}).to_csv(path, index=False)
    call = ["run", str(path), "-k", "2", "-m", "5", "-o", str(tmp_path / "l.csv"), "--force"]
    assert main(call) == 0
    assert "every column is scaled to mean 0 and deviation 1, as their units differ" in capsys.readouterr().err
    assert main([*call, "--scale", "none"]) == 0
    assert "warning: column 'income' has 100.0% of the variance and decides nearly alone" in capsys.readouterr().err
