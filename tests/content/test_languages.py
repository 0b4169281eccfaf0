"""Pages in many scripts survive: nothing in the choice of content depends on spaces between words."""

import pytest

from hydra_web.content import render

SENTENCES = {
    "Vietnamese": "Ủy ban đã họp vào sáng thứ Ba, nghe ba báo cáo và đồng ý công bố kết quả trước cuối tháng Năm.",
    "Chinese": "委员会星期二上午举行会议，听取了三份报告，并同意在五月底以前公布调查结果，随后回答了记者的提问。",
    "Japanese": "委員会は火曜日の午前に会合を開き、三つの報告を聞き、五月末までに結果を公表することで一致した。",
    "Korean": "위원회는 화요일 오전에 회의를 열어 세 건의 보고를 듣고 오월 말 이전에 결과를 발표하기로 합의했다.",
    "Arabic": "اجتمعت اللجنة صباح الثلاثاء، واستمعت إلى ثلاثة تقارير، ووافقت على نشر نتائجها قبل نهاية شهر أيار.",
    "Hebrew": "הוועדה התכנסה ביום שלישי בבוקר, שמעה שלושה דיווחים והסכימה לפרסם את ממצאיה לפני סוף חודש מאי.",
    "Thai": "คณะกรรมการได้ประชุมเมื่อเช้าวันอังคารรับฟังรายงานสามฉบับและตกลงที่จะเผยแพร่ผลการศึกษาก่อนสิ้นเดือนพฤษภาคม",
    "Russian": "Комиссия собралась во вторник утром, заслушала три доклада и решила опубликовать выводы до конца мая.",
    "Hindi": "समिति की बैठक मंगलवार सुबह हुई, उसने तीन रिपोर्टें सुनीं और मई के अंत से पहले निष्कर्ष प्रकाशित करने पर सहमति दी।",
    "Persian": "این کمیته صبح سه‌شنبه جلسه داشت، سه گزارش شنید و موافقت کرد یافته‌ها را تا پایان ماه مه منتشر کند.",
}
MENU = "".join(f"<li><a href='/{n}'>{n} ☰</a></li>" for n in range(12))


@pytest.mark.parametrize("head", ["", '<meta property="og:type" content="article">'])
@pytest.mark.parametrize("language", SENTENCES)
def test_the_article_of_every_language_is_shown(language, head):
    sentence = SENTENCES[language]
    paragraphs = "".join(f"<p>{sentence * 2} <b>{n}</b></p>" for n in range(8))
    body = f"<ul class=menu>{MENU}</ul><div class=text>{paragraphs}</div><footer>©</footer>"
    html = f"<head>{head}</head><body>{body}</body>"
    page = render(html, "https://site.test/")
    assert page.text.count(sentence) == 16
    assert "☰" not in page.text
    assert page.page_text.count(sentence) == 16


def test_joiners_that_a_script_needs_are_kept():
    assert "سه‌شنبه" in render(f"<p>{SENTENCES['Persian']}</p>", "https://site.test/").text
