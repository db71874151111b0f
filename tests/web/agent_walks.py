"""Pages of work behind the page: judges and agents before, at work and at their end."""

from __future__ import annotations

from benches import DIARIES, Bench
from browser import arrive, served

SUITE = "Query ID,질의,기대결과\nq1,공고 보여줘,@check formType=LIST\nq2,지원자 추가,@check formType=FORM\n"
ADDRESS = "http://127.0.0.1:9"  # nobody is there


def run_pages(walk):
    """An agent that is not there: what would be asked, and how it ended; judges without a key."""
    bench = Bench(walk.folder, lang=walk.lang).enter()
    bench.make("hiring", "hiring-agent")
    bench.make()
    tray = bench.tray(DIARIES, "diaries.csv")
    bench.post(tray, tray)
    file = walk.folder / "suite.csv"
    file.write_text(SUITE, "utf-8")
    with served(bench) as address:
        page = walk.open(f"{address}/enter/{bench.home.token}", "main h1")
        page.goto(f"{address}/s/hiring/owner/run")
        page.set_input_files(".drop input", str(file))
        arrive(page, "strong:has-text('suite.csv')")
        page.fill("textarea[name=description]", "command: [rm]")
        page.click("form.fields p.act button")
        page.wait_for_selector("[role=alert]")
        walk.look(page, "agent refused")
        page.fill("textarea[name=description]", f"name: hiring\nurl: {ADDRESS}\nbody: {{q: $query}}\n")
        page.click("form.fields p.act button")
        page.wait_for_selector(".preview-cases")
        walk.look(page, "agent prepared")
        page.click("div.act .primary")
        page.wait_for_selector(".run .warn")
        walk.look(page, "agent ended")
        page.goto(
            f"{address}/s/diaries/owner/judges?model=openai:gpt-5-mini&model=anthropic:claude-haiku-4-5"
        )
        walk.look(page, "judges estimated")
        page.click("form[method=post] .primary")
        page.wait_for_selector("[role=alert]")
        walk.look(page, "judges refused")
