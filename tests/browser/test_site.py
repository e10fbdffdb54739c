"""The explorer as its users drive it: from disk, with the mouse, with the keyboard, on a phone."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest
from browser import Browser
from selenium.webdriver.common.keys import Keys

from pipeline.site.write import write_site
from traincompute.explain import collect
from traincompute.render import exact

ACCESSIBILITY = (Path(__file__).parent / "accessibility.js").read_text(encoding="utf-8")
NOTABLE = "select model_id from models where is_notable"
OF_POINT = """
const row = traincompute.rowOf.get(arguments[0]);
const point = traincompute.chart.visible.find((one) => one.row === row);
const box = document.getElementById("surface").getBoundingClientRect();
return point && [box.left + point.px, box.top + point.py];"""


def ids(database: duckdb.DuckDBPyConnection, query: str, *values: Any) -> list[str]:
    return [row[0] for row in database.execute(query, list(values)).fetchall()]


def place(page: Browser, model: str) -> tuple[float, float]:
    """Where the point of a model is in the window."""
    x, y = page.wait(OF_POINT, model)
    return x, y


def test_it_opens_from_disk_without_a_request_or_an_error(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    assert page.count() == len(ids(database, NOTABLE))
    page.open("model=gpt-3-175b")
    page.wait("return document.querySelector('.estimates')")
    assert "FLOP" in page.text(".cards")
    requests = page.requests()
    assert len(requests) > 15
    assert [address for address in requests if not address.startswith(("file://", "data:"))] == []


def test_it_opens_from_a_static_host_and_asks_no_other(page: Browser, hosted: str) -> None:
    page.open("model=gpt-3-175b", f"{hosted}/index.html")
    page.wait("return document.querySelector('.estimates')")
    assert [address for address in page.requests() if not address.startswith((hosted + "/", "data:"))] == []


def test_the_policy_allows_nothing_but_the_folder(page: Browser) -> None:
    page.run("const s = document.createElement('script'); s.src = 'https://example.com/x.js'; document.head.append(s)")
    page.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.head.append(s)")
    page.wait("return true")
    assert page.run("return window.ran === undefined")
    refused = page.errors()
    assert len(refused) == 2
    assert all("Content Security Policy" in text for text in refused)


def test_filters_choose_what_sql_chooses(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    page.click("input[name='is_notable'][value='any']")
    assert page.count() == len(ids(database, "select model_id from models"))
    page.click("#facet-domains summary")
    page.click("#facet-domains input[value='Biology']")
    page.click("#facet-domains input[value='Vision']")
    page.click("input[name='open_weights'][value='yes']")
    page.click("[data-least='1e23']")
    wanted = """select model_id from models where list_has_any(domains, ['Biology', 'Vision']) and open_weights
    and training_compute_flop >= 1e23"""
    assert sorted(page.listed()) == sorted(ids(database, wanted))
    page.run("const e = document.querySelector('#from'); e.value = '2024-03-01'; e.dispatchEvent(new Event('change'))")
    assert sorted(page.listed()) == sorted(ids(database, wanted + " and publication_date >= '2024-03-01'"))
    page.click("#clear-filters")
    assert page.count() == len(ids(database, NOTABLE))


def test_the_page_measures_itself(page: Browser) -> None:
    page.click("input[name='is_notable'][value='any']")
    timings = page.run("return window.traincomputeTimings")
    assert timings["ready"] > 0
    assert len(timings["filter"]) == len(timings["first draw"]) == 1
    assert page.run("return performance.getEntriesByName('traincompute filter').length") == 1


def test_a_choice_tells_how_many_models_it_would_give(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    page.click("#facet-countries summary")
    page.click("#facet-countries input[value='China']")
    page.click("#facet-training_compute_source summary")
    told = page.wait(
        "return document.querySelector('#facet-training_compute_source li') && [...document.querySelectorAll('#facet-training_compute_source li')].map("
        "(li) => [li.querySelector('input').value, parseInt(li.querySelector('.many').textContent)])"
    )
    counted = database.execute(
        "select coalesce(training_compute_source, '(none)'), count(*) from models "
        "where is_notable and list_contains(countries, 'China') group by 1"
    ).fetchall()
    assert {name: count for name, count in told if count} == dict(counted)


def test_search_finds_names_ids_and_further_names(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    page.type("#search", "2005.14165")
    assert sorted(page.listed()) == sorted(ids(database, NOTABLE + " and arxiv_id = '2005.14165'"))
    page.type("#search", "GOOGLE bert")
    assert page.count() > 0
    names = ids(database, "select lower(name) from models where model_id in (select unnest(?))", page.listed())
    assert any("bert" in name for name in names)
    record, model = database.execute(
        "select record, model_id from claims join models using (model_id) where record <> name and is_notable "
        "and lower(replace(record, '-', '')) not in (lower(replace(name, '-', ''))) order by 1 limit 1"
    ).fetchone() or ("", "")
    page.type("#search", record)
    assert model in page.listed()


def test_a_search_tells_of_models_that_the_filters_hide(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    hidden = ids(database, "select name from models where not is_notable and length(name) > 15 order by 1 limit 1")[0]
    page.type("#search", hidden)
    assert page.count() == 0
    page.click("#widen")
    assert page.count() >= 1


def test_the_table_sorts_all_rows_and_holds_few(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    page.click("input[name='is_notable'][value='any']")
    page.click("th[data-column='parameters'] button")
    descending = [
        row[0] for row in database.execute("select parameters from models order by 1 desc nulls last").fetchall()
    ]
    value_of = dict(database.execute("select model_id, parameters from models").fetchall())
    assert [value_of[key] for key in page.listed()] == descending
    assert page.find("th[data-column='parameters']").get_attribute("aria-sort") == "descending"
    page.click("th[data-column='parameters'] button")
    filled = sorted(value for value in descending if value is not None)
    assert [value_of[key] for key in page.listed()][: len(filled)] == filled
    page.click("th[data-column='name'] button")
    assert page.find("#table").get_attribute("aria-rowcount") == str(len(descending) + 1)
    assert page.run("return document.querySelectorAll('#table tbody tr[data-row]').length") < 60
    page.run("document.querySelector('#table tbody a[tabindex=\"0\"]').focus()")
    page.keys(Keys.END)
    assert page.run("return document.activeElement.closest('tr').getAttribute('aria-rowindex')") == str(
        len(descending) + 1
    )
    page.keys(Keys.ENTER)
    page.wait("return document.querySelector('#model').open")


def test_hover_tells_value_interval_and_source_and_a_click_opens(
    page: Browser, database: duckdb.DuckDBPyConnection
) -> None:
    model, name, low = database.execute(
        "select model_id, name, training_compute_low from models where is_notable and training_compute_low is not null "
        "and training_compute_high is not null and publication_date > '2012-01-01' order by training_compute_flop desc limit 1"
    ).fetchone() or ("", "", 0.0)
    x, y = place(page, model)
    page.mouse("mouseMoved", x, y)
    tip = page.text("#tooltip")
    assert tip.startswith(name)
    assert f"{low:.4g}".replace("e+", "e") in tip
    assert any(word in tip for word in ("reported", "third party", "our estimate"))
    page.press(x, y)
    page.wait("return document.querySelector('#model').open")
    assert page.text("#model-name") == name
    assert page.state()["model"] == model


def test_zoom_and_pan_move_the_view_and_fit_brings_it_back(page: Browser) -> None:
    before = page.run("return traincompute.chart.view")
    x, y = place(page, "gpt-3-175b")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
    page.wait("return traincompute.chart.view[1] - traincompute.chart.view[0] < arguments[0]", before[1] - before[0])
    assert place(page, "gpt-3-175b") == pytest.approx((x, y), abs=1.5)
    page.wait("return location.hash.includes('view=')")
    page.mouse("mousePressed", x, y + 40, button="left", clickCount=1)
    page.mouse("mouseMoved", x + 60, y + 40, button="left")
    page.mouse("mouseReleased", x + 60, y + 40, button="left", clickCount=1)
    page.wait("return !document.querySelector('#model').open")
    moved = page.wait(
        "const p = (() => {" + OF_POINT + "})(); return p && Math.abs(p[0] - arguments[1]) > 30 && p", "gpt-3-175b", x
    )
    assert moved[0] == pytest.approx(x + 60, abs=2)
    page.click("#zoom-reset")
    assert page.run("return traincompute.chart.view") == before
    page.click("#spans button:first-child")
    assert page.run("return traincompute.chart.visible.length === traincompute.chart.points.length")


@pytest.mark.parametrize("model", ["gpt-3-175b", "goat-7b", "deepseek-v3"])
def test_a_model_shows_what_explain_shows(page: Browser, database: duckdb.DuckDBPyConnection, model: str) -> None:
    known = collect(database, model)
    page.open(f"model={model}")
    page.wait("return document.querySelector('.estimates, .sources')")
    shown = page.text("#model-page")
    for claim in (claim for entry in known["fields"] for claim in entry["claims"]):
        if claim["reference"]:
            assert claim["reference"].removeprefix("https://").removeprefix("www.") in shown
        if claim["status"] == "conflicting":
            assert claim["reason"].removesuffix(entry_id(claim["reason"])) in shown
    for row in known["estimates"]:
        assert (row["formula"] if row["value"] else row["reason"]) in shown
    changes = {(row["field"], row["kind"], row["old_text"], row["new_text"]) for row in known["revisions"]}
    assert 0 < len(page.run("return [...document.querySelectorAll('.revisions tbody tr')]")) <= len(changes)
    assert {row["source_id"] for row in known["revisions"]} <= set(
        page.text(".revisions").replace("epoch_", " epoch_").split()
    )
    links = set(page.run("return [...document.querySelectorAll('#model-page a')].map((a) => a.href)"))
    assert known["model"]["reference_url"] in links
    assert all(link.startswith(("https://", "http://", "file://")) for link in links)


def entry_id(reason: str) -> str:
    """The claim_id at the end of a reason, which the page replaces by the place of that claim."""
    last = reason.split(" ")[-1]
    return last if len(last) == 16 and set(last) <= set("0123456789abcdef") else ""


def test_a_copied_link_opens_the_same_view(page: Browser) -> None:
    page.driver.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    page.click("input[name='is_notable'][value='any']")
    page.click("#facet-organizations summary")
    page.click("#facet-organizations input[value='Google']")
    page.type("#search", "bert")
    page.choose("#axis", "parameters")
    page.choose("#colour", "countries")
    page.click("th[data-column='publication_date'] button")
    page.click("#zoom-in")
    page.wait("return location.hash.includes('view=')")
    page.run("document.querySelector('#table tbody a').click()")
    page.wait("return document.querySelector('.sources')")
    before = (page.state(), page.listed(), page.text("#model-name"), page.run("return traincompute.chart.view"))
    page.run("history.back()")
    page.wait("return !document.querySelector('#model').open")
    page.run("history.forward()")
    page.wait("return document.querySelector('#model').open && document.querySelector('.sources')")
    page.run("window.focus(); document.querySelector('#copy-link').click()")
    page.wait("return document.querySelector('#toast').textContent")
    copied = page.driver.execute_async_script(
        "const done = arguments[arguments.length - 1]; navigator.clipboard.readText().then(done, (e) => done(String(e)))"
    )
    assert copied == page.run("return location.href")
    page.open(copied.split("#", 1)[1])
    page.wait("return document.querySelector('.sources')")
    after = (page.state(), page.listed(), page.text("#model-name"), page.run("return traincompute.chart.view"))
    assert after[:3] == before[:3]
    assert after[3] == pytest.approx(before[3], abs=0.001)


def test_the_downloads_hold_what_sql_gives(page: Browser, database: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.open("is_notable=any&countries=France&least=1e22&sort=model_id")
    query = """select * from models where list_contains(countries, 'France') and training_compute_flop >= 1e22
    order by model_id"""
    cursor = database.execute(query)
    names = [column[0] for column in cursor.description or []]
    rows = cursor.fetchall()
    assert len(rows) > 5
    filled = [i for i, name in enumerate(names) if _filled(database, name)]
    for form in ("csv", "json"):
        page.click(f"#download-{form}")
    files = {form: wait_for(tmp_path / f"traincompute-{len(rows)}-models.{form}", page) for form in ("csv", "json")}
    read = list(csv.reader(files["csv"].read_text(encoding="utf-8").splitlines()))
    assert read[0] == [names[i] for i in filled]
    by_id = {line[0]: line for line in read[1:]}
    for line, row in ((by_id.pop(row[0]), row) for row in rows):
        for cell, value in zip(line, (row[i] for i in filled), strict=True):
            same = (
                float(cell) == value
                if isinstance(value, float)
                else cell.removeprefix("'") == exact(value).removeprefix("'")
            )
            assert same, (cell, value)
    assert by_id == {}
    records = json.loads(files["json"].read_text(encoding="utf-8"), parse_int=float)
    plain = [{names[i]: _plain(row[i]) for i in filled} for row in rows]
    for record, expected in zip(sorted(records, key=lambda one: str(one["model_id"])), plain, strict=True):
        assert record == expected


def _filled(database: duckdb.DuckDBPyConnection, name: str) -> bool:
    (count,) = database.execute(f'select count("{name}") from models').fetchone() or (0,)
    return bool(count)


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def wait_for(file: Path, page: Browser) -> Path:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(page.driver, 20, poll_frequency=0.05).until(lambda _: file.exists() and file.stat().st_size)
    return file


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_no_serious_accessibility_fault(page: Browser, theme: str, width: int) -> None:
    page.resize(width, 900, prefers_color_scheme=theme)
    page.open("intervals=1")
    page.run(
        "document.body.classList.add('filters-open'); for (const e of document.querySelectorAll('details')) e.open = true"
    )
    found = page.run(ACCESSIBILITY, "body")
    assert found["texts"] > 150
    assert found["faults"] == []
    page.open("model=goat-7b")
    page.wait("return document.querySelector('.estimates')")
    page.run("for (const e of document.querySelectorAll('#model details')) e.open = true")
    page.wait("return document.querySelector('#model').getAnimations().every((a) => a.playState === 'finished')")
    assert page.run(ACCESSIBILITY, "#model") | {"texts": 0} == {"faults": [], "texts": 0}


@pytest.mark.skipif(not os.environ.get("AXE_CORE"), reason="AXE_CORE names no copy of axe.min.js")
@pytest.mark.parametrize("view", ["intervals=1", "model=goat-7b"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_fault(page: Browser, theme: str, view: str) -> None:
    page.resize(1440, 900, prefers_color_scheme=theme)
    page.open(view)
    page.wait("return !traincompute.state().model || document.querySelector('.estimates')")
    page.run(Path(os.environ["AXE_CORE"]).read_text(encoding="utf-8"))
    page.run("for (const e of document.querySelectorAll('details')) e.open = true")
    found = page.driver.execute_async_script(
        "const done = arguments[arguments.length - 1]; axe.run().then((r) => done(r.violations))"
    )
    grave = [
        (v["id"], v["impact"], [n["html"] for n in v["nodes"]][:3])
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
    assert grave == []
    page.errors()  # axe itself reads style sheets, which the policy refuses


def test_tab_reaches_every_control_in_the_order_of_the_page(page: Browser) -> None:
    page.run("document.body.focus()")
    page.keys(Keys.TAB)
    assert page.run("return document.activeElement.textContent") == "Skip to the table"
    assert page.run("return document.activeElement.getBoundingClientRect().top >= 0")
    reached = []
    for _ in range(120):
        page.keys(Keys.TAB)
        here = page.run(
            "const e = document.activeElement; if (e === document.body || e.matches('.skip')) return null;"
            "const s = getComputedStyle(e.matches('.segments input') ? e.nextSibling : e);"
            "const all = [...document.querySelectorAll('*')];"
            "return [all.indexOf(e), e.id || e.name || e.textContent, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2]"
        )
        if here is None:
            break
        reached.append(here)
    assert [name for _, name, ringed in reached if not ringed] == []
    assert [at for at, *_ in reached] == sorted(at for at, *_ in reached)
    names = {name for _, name, _ in reached}
    assert {"copy-link", "theme", "clear-filters", "search", "is_notable", "least", "from", "axis", "colour"} <= names
    assert {"zoom-in", "zoom-reset", "surface", "download-csv", "download-json"} <= names
    assert page.run("return document.querySelectorAll('summary').length") == sum(
        page.run("return document.querySelectorAll('*')[arguments[0]].matches('summary')", at) for at, *_ in reached
    )
    assert any(
        page.run("return document.querySelectorAll('*')[arguments[0]].matches('#table tbody a')", at)
        for at, *_ in reached
    )


def test_the_chart_works_by_keyboard_and_gives_the_focus_back(page: Browser) -> None:
    page.run("document.querySelector('#surface').focus()")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    said = page.text("#point-said")
    assert "Training compute: " in said
    page.keys(Keys.ENTER)
    page.wait("return document.querySelector('#model').open")
    assert said.startswith(page.text("#model-name"))
    assert page.run("return document.querySelector('#model').contains(document.activeElement)")
    page.keys(Keys.ESCAPE)
    page.wait("return !document.querySelector('#model').open")
    assert page.run("return document.activeElement.id") == "surface"
    assert page.state()["model"] == ""


def test_a_phone_shows_all_in_its_width(page: Browser) -> None:
    page.resize(360, 740)
    page.open()
    assert page.run("return document.documentElement.scrollWidth") <= 360
    assert not page.find("#search").is_displayed()
    page.click("#toggle-filters")
    assert page.find("#search").is_displayed()
    assert page.find("#toggle-filters").get_attribute("aria-expanded") == "true"
    page.open("model=gpt-3-175b")
    page.wait("return document.querySelector('.sources')")
    assert page.run("return document.querySelector('#model').scrollWidth") <= 360


def test_themes_follow_the_system_or_the_button(page: Browser) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(ground)
    page.resize(1440, 900, prefers_color_scheme="dark", prefers_reduced_motion="reduce")
    dark = page.run(ground)
    assert dark != light
    page.click("#theme")
    assert (page.text("#theme"), page.run(ground)) == ("Theme: light", light)
    page.open("model=gpt-3-175b")
    assert page.run(ground) == light
    assert page.run("return getComputedStyle(document.querySelector('#model')).animationName") == "none"
    page.run("traincompute.setTheme('auto')")


def altered(built: Path, target: Path, *statements: str) -> Path:
    """The explorer of a copy of the dataset after some statements."""
    target.mkdir()
    copy = target / "altered.duckdb"
    shutil.copy(built, copy)
    with duckdb.connect(str(copy)) as connection:
        for statement in statements:
            connection.execute(statement)
    write_site(copy, target / "site")
    return target / "site" / "index.html"


def test_markup_in_a_name_stays_text(page: Browser, built: Path, tmp_path: Path) -> None:
    name = '<img src=x onerror="window.hit=1">\'</script><b>&amp;'
    quoted = name.replace("'", "''")
    index = altered(
        built, tmp_path / "copy",
        f"update models set name = '{quoted}', reference_url = 'javascript:window.hit=1', organizations = ['{quoted}'] where model_id = 'gpt-3-175b'",
        f"update claims set value_text = '{quoted}', reason = '{quoted}', reference = 'javascript:window.hit=1' where model_id = 'gpt-3-175b'",
    )  # fmt: skip
    page.open("model=gpt-3-175b", index.as_uri())
    page.wait("return document.querySelector('.sources')")
    assert page.text("#model-name") == name
    assert page.run("return document.querySelectorAll('img, body script:not([src])').length") == 0
    assert (
        page.run("return [...document.querySelectorAll('a')].filter((a) => a.protocol === 'javascript:').length") == 0
    )
    assert page.run("return window.hit === undefined")


def test_it_copes_with_missing_and_empty_columns(page: Browser, built: Path, tmp_path: Path) -> None:
    index = altered(
        built,
        tmp_path / "copy",
        "alter table models drop column training_power_w",
        "alter table models drop column accessibility",
        "alter table models drop column publication_date_precision",
        "update models set training_cost_usd = null, open_weights = null",
        "alter table models add column era_compute varchar",
        "update models set era_compute = 'large scale' where training_compute_flop > 1e23",
        "alter table models add column training_energy_kwh double",
        "update models set training_energy_kwh = 5e6 where is_notable",
    )
    page.open("", index.as_uri())
    axes = page.run("return [...document.querySelectorAll('#axis option')].map((o) => o.value)")
    assert "training_energy_kwh" in axes
    assert not {"training_power_w", "training_cost_usd"} & set(axes)
    assert page.run("return document.querySelectorAll('#facet-era_compute, [name=open_weights]').length") == 1
    page.choose("#axis", "training_energy_kwh")
    page.wait("return traincompute.chart.visible.length > 100")


def test_a_missing_file_is_told(page: Browser, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    shutil.rmtree(copy / "data" / "models")
    page.open("model=gpt-3-175b", (copy / "index.html").as_uri())
    page.wait("return document.querySelector('#model-page').textContent.includes('cannot be read')")
    (copy / "data" / "models.js").write_text("damaged")
    page.driver.get("about:blank")
    page.driver.get((copy / "index.html").as_uri())
    page.wait("return document.querySelector('#failure').textContent.includes('traincompute site')")
    assert page.errors()  # the console names the files; the fixture wants a clean one


def test_the_docs_are_linked_only_where_they_are(page: Browser, built: Path, tmp_path: Path) -> None:
    assert not page.find("#docs-link").is_displayed()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.html").write_text("<title>docs</title>")
    write_site(built, tmp_path)
    page.open("", (tmp_path / "index.html").as_uri())
    assert page.find("#docs-link").get_attribute("href") == (tmp_path / "docs" / "index.html").as_uri()
