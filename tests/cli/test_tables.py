"""Tables as people have them, on the command line: at the first try, told, predicted, in parts."""

import gzip
import json

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


def test_a_saved_model_tells_what_its_clusters_are(customers, tmp_path, capsys):
    path, _ = customers
    frame = pd.read_csv(path)
    frame.to_parquet(tmp_path / "table.parquet", index=False)  # ids are numbers there
    model = str(tmp_path / "m.npz")
    run = [
        "run",
        str(tmp_path / "table.parquet"),
        "-k",
        "3",
        "-m",
        "10",
        "-o",
        str(tmp_path / "l.csv"),
        "--save",
        model,
    ]
    assert main([*run, "--memory", "8GB"]) == 0
    capsys.readouterr()
    assert main(["show", model]) == 0
    told = capsys.readouterr().out
    assert "(typical: 5" in told
    assert "income " in told
    for more in ([], ["--data", str(path)]):
        page = tmp_path / f"page{len(more)}.json"
        assert main(["report", model, str(page), *more]) == 0
        assert "income " in "".join(each["text"] for each in json.loads(page.read_text())["portraits"]["clusters"])


def test_many_rows_are_combined_in_chunks_with_the_same_labels(customers, tmp_path, monkeypatch):
    path, _ = customers
    run = ["run", str(path), "-k", "auto", "-m", "10", "-q", "-o"]
    assert main([*run, str(tmp_path / "a.csv"), "--report", str(tmp_path / "a.json")]) == 0
    monkeypatch.setattr("consensa.cli.run.SAMPLE_ABOVE", 100)
    monkeypatch.setattr("consensa.cli.run._CHUNK_ROWS", 64)
    assert (
        main([*run, str(tmp_path / "b.csv"), "--report", str(tmp_path / "b.json"), "--save", str(tmp_path / "m.npz")])
        == 0
    )
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    a, b = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    assert a["portraits"] == b["portraits"]
    assert main(["show", str(tmp_path / "m.npz"), "-o", str(tmp_path / "c.csv"), "-q"]) == 0
    assert pd.read_csv(tmp_path / "c.csv")["label"].tolist() == pd.read_csv(tmp_path / "a.csv")["label"].tolist()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["1,5", "2,25", "-0,5"], "--decimal ,"),
        (["1,500", "22,250", "310,001"], "signs between thousands have to go"),
        (["1.5", "2.5", "none of these"], "holds numbers, but also 'none of these'"),
    ],
)
def test_numbers_in_another_notation_are_no_ids(tmp_path, capsys, cells, message):
    path = tmp_path / "table.csv"
    rows = [f"{cells[i % 3].replace('5', str(i), 1) if i else cells[2]};{i % 4};{cells[i % 2]}" for i in range(40)]
    path.write_text("\n".join(["price;kind;cost", *rows]) + "\n")
    assert main(["run", str(path), "-k", "2"]) == 2
    told = capsys.readouterr().err
    assert "'price' holds numbers" in told
    assert message in told
