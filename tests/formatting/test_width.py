import pytest

from assay.formatting.width import centred, clean, left, right, width, wrapped


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0), ("spam", 4), ("Straße", 6), ("垃圾邮件", 8), ("한국어", 6), ("スパム", 6), ("\uff46\uff55\uff4c\uff4c", 8), ("ﾊﾝｶｸ", 4),
        ("cafe\u0301", 4), ("e\u0301\u0327", 1), ("👍", 2), ("👍🏽", 2), ("👩\u200d🚀", 2), ("❤\ufe0f", 2), ("🇩🇪", 2),
        ("a\u200bb", 2), ("نعم", 3), ("हाँ", 2),
    ],
)  # fmt: skip
def test_how_wide_text_stands(text, columns):
    """Two columns for wide letters and pictures, none for what joins the letter before."""
    assert width(text) == columns


@pytest.mark.parametrize("text", ["垃圾邮件", "cafe\u0301", "👩\u200d🚀 x", "spam"])
def test_padded_text_takes_its_columns(text):
    """Left, right and centred are as wide as asked for."""
    for placed in (left, right, centred):
        assert width(placed(text, 12)) == 12
    assert right(text, 12).endswith(text)
    assert left(text, 12).startswith(text)


@pytest.mark.parametrize("columns", [3, 5, 8, 40])
@pytest.mark.parametrize(
    "text", ["needs a second look", "垃圾邮件垃圾邮件", "e\u0301" * 9, "👩\u200d🚀" * 4, "a b", "x"]
)
def test_wrapped_text_keeps_every_letter(text, columns):
    """No line is too wide, nothing is lost, and nothing that is drawn as one is torn apart."""
    lines = wrapped(text, columns)
    assert all(width(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert not any(line.startswith(("\u0301", "\u200d")) for line in lines)


def test_nothing_in_a_label_moves_the_cursor():
    """Line breaks, tabs, escapes and empty labels are shown as what they are."""
    assert clean("a\tb\nc\x1b[31m") == "a\\tb\\nc\\x1b[31m"
    assert clean("") == '""'
    assert clean("  ") == '"  "'
    assert clean(-1) == "-1"
    assert clean("\u2028") == "\\u2028"
