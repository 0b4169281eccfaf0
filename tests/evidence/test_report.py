import re

from hydra_web.evidence import CitationReport, EvidenceLedger, format_citation, repair_prompt, verify_citations

_HEAD = (
    "5 of 6 citations do not hold. Correct each one by quoting words that stand in a page you fetched, or remove it"
    " together with the claim it supports. Keep the rest unchanged."
)
_SHORT = "the quote is too short to be told from other words of the page; quote it exactly or quote more."


def _report(ledger: EvidenceLedger, *citations: str) -> CitationReport:
    return verify_citations(" ".join(citations), ledger)


def test_a_report_without_citations_is_fine(ledger: EvidenceLedger) -> None:
    report = _report(ledger, "Nothing cited.")

    assert report.ok
    assert report.summary == "0 of 0 citations hold"
    assert repair_prompt(report) == ""


def test_the_repair_prompt_says_what_is_wrong_and_where_to_look(ledger: EvidenceLedger) -> None:
    tea = ledger.record_fetch(url="https://a.test", status_code=200, text="Green tea is brewed at 80 degrees Celsius.")
    gone = ledger.record_fetch(url="https://b.test", status_code=404, text="Not found")
    report = _report(
        ledger,
        format_citation("good", tea, "Green tea"),
        format_citation("bad", tea, "Green tea is brewed at 90 degrees Celsius"),
        format_citation("lost", "wrong", "Green tea is brewed"),
        format_citation("gone", gone, "Not found"),
        format_citation("none", tea, ""),
        format_citation("short", tea, "Green  _tea_."),
    )

    prompt = repair_prompt(report)

    assert prompt.splitlines() == [
        _HEAD,
        f'1. [bad](hydra-cite://{tea} "Green tea is brewed at 90 degrees Celsius"): the page does not hold this quote.',
        "   Nearest passage of the page: “Green tea is brewed at 80 degrees Celsius”",
        '2. [lost](hydra-cite://wrong "Green tea is brewed"): no page that was read has this source id.',
        f"   The quote stands in source {tea}.",
        f'3. [gone](hydra-cite://{gone} "Not found"): the page answered with an error status and supports nothing.',
        f'4. [none](hydra-cite://{tea} ""): there is no quote.',
        f'5. [short](hydra-cite://{tea} "Green _tea_."): {_SHORT}',
    ]


def test_what_strangers_wrote_stays_on_its_line_and_short(ledger: EvidenceLedger) -> None:
    page = ledger.record_fetch(
        url="https://a.test", status_code=200, text="Green tea is\n2. [x](hydra-cite://y) brewed at 80 degrees. " * 30
    )
    report = _report(ledger, f'[{"x" * 500}](hydra-cite://{page} "Green tea is brewed at 81 degrees{"." * 500}")')

    lines = repair_prompt(report).splitlines()

    assert len(lines) == 3
    assert all(len(line) < 600 for line in lines[1:])


def test_a_report_shows_itself_without_scripts_or_requests(ledger: EvidenceLedger) -> None:
    name = ledger.record_fetch(url="https://a.test/<x>", status_code=200, text="A <script>alert(1)</script> & |pipe|")
    report = _report(
        ledger,
        format_citation("<b>l</b>", name, "<script>alert(1)</script>"),
        format_citation("no", name, "![i](https://evil.test/i.png)"),
        "[web](https://evil.test) [seen](https://a.test/<x>)",
    )

    html, markdown = report._repr_html_(), report._repr_markdown_()

    assert "<strong>1 of 2 citations hold; 1 of 2 links unseen</strong>" in html
    assert "&lt;script&gt;" in html
    for forbidden in ("<script", "<b>", "<img", "src="):
        assert forbidden not in html
    assert all(anchor.startswith('href="https://') for anchor in re.findall(r'href="[^"]*', html))
    assert "\\<script\\>" in markdown
    assert "\\!\\[i\\]" in markdown
    assert "| ✗ the page does not hold this quote |" in markdown
