"""docs/methods.md says what the registry, the signatures and the runs say."""

from __future__ import annotations

from bench.methods_table import LARGEST, PAGE, methods_page, read_largest
from consensa.methods import FEATURE_METHODS, METHODS


def test_the_page_is_up_to_date():
    expected = methods_page(read_largest(LARGEST))
    assert PAGE.read_text(encoding="utf-8") == expected, "run: python -m bench methods-table"


def test_the_page_has_every_method_and_default():
    page = methods_page({})
    methods = [*METHODS.values(), *FEATURE_METHODS.values()]
    for method in methods:
        reference = f"[{method.reference}](https://doi.org/{method.doi})"
        assert f"| `{method.name}` | `{method.estimator}` | {method.summary} | {reference} |\n" in page
    rows = [line for line in page.split("## Properties")[1].splitlines() if line.startswith("| `")]
    assert len(rows) == len(methods)
    assert all(line.count(" | ") == 5 for line in rows)
    kcc = next(line for line in rows if line.startswith("| `kcc`"))
    assert "`utility='u_h'`, `n_init=10`, `init='k-means++'`" in kcc
    assert kcc.endswith("| not run |")


def test_variants_are_marked():
    page = methods_page({})
    variants = [method for method in (*METHODS.values(), *FEATURE_METHODS.values()) if method.variant]
    known = {"CESHL", "ECMC", "SPCE", "SRW", "SSCSPA", "SSHGPA", "SSMCLA", "TOME", "TRCE"}
    assert known <= {method.estimator for method in variants}
    assert all(f"\n- `{method.estimator}`: {method.variant}.\n" in page for method in variants)


def test_only_finished_runs_count(tmp_path):
    path = tmp_path / "largest.csv"
    path.write_text(
        "method,data,n_objects,n_microclusters,n_clusters,cpu_seconds,peak_mib,status,versions\n"
        "mdec,labels,5000,900,20,0.5,100,ok,v\n"
        "mdec,labels,1000,200,20,0.1,90,ok,v\n"
        "mdec,labels,9000,,20,,,killed,v\n"
    )
    found = read_largest(path)
    assert {ran: row["n_objects"] for ran, row in found.items()} == {("mdec", "labels"): "5000"}
    rows = [line for line in methods_page(found).split("## Properties")[1].splitlines() if line.startswith("| `mdec`")]
    assert rows[0].endswith("| 5,000 (900 microclusters, 0.5 s) |")
    assert rows[1].endswith("| not run |"), "the consensus step alone is not MDEC on features"


def test_methods_stand_by_use_and_the_default_first():
    page = methods_page({})
    assert page.index("### The default") < page.index("| `sal` | `SAL` |") < page.index("### A tree")
    assert "### Others" not in page  # every method has a use; bench/methods_table.py says which
