"""Sphinx configuration of the documentation site; ``make docs`` builds it into docs/_build/html."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

project = "consensa"
author = "The consensa developers"
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "api_links",
    "command_line",
    "marks",
    "mathml",
    "offline",
    "repository",
]
exclude_patterns = ["_build", "gallery_src", "api/generated/backreferences"]
templates_path = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!consensa).*")]  # numpy, scipy, ...: no inventories are fetched

# Markdown: the same files are read here and in the repository
myst_enable_extensions = ["attrs_block", "colon_fence", "dollarmath", "html_image"]
myst_heading_anchors = 4
repository_pages = {
    "project/benchmarks": "bench/README.md",
    "project/changelog": "CHANGELOG.md",
    "project/contributing": "CONTRIBUTING.md",
    "project/security": "SECURITY.md",
    "project/studies": "studies/README.md",
}
repository_front_page = "README.md"
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"

# Docstrings
autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
viewcode_line_numbers = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery_src",
    "gallery_dirs": "gallery",
    "backreferences_dir": "api/generated/backreferences",
    "doc_module": ("consensa",),
    "inspect_global_variables": False,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "min_reported_time": 10_000,
    "remove_config_comments": True,
    "write_computation_times": False,
}

# Pages
html_theme = "pydata_sphinx_theme"
html_title = "consensa"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "consensa"},
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"index": [], "**": ["page-toc"]},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "start": [], "methods": []}
copyright = "The consensa developers, BSD-3-Clause"  # noqa: A001 - Sphinx's name
copybutton_exclude = ".linenos, .gp, .go"
