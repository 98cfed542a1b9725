"""Reports in a browser."""

import pytest


@pytest.fixture
def opened(browser, tmp_path):
    """Return a function that opens a report; requests, messages and breaches of policy must be none."""
    contexts, asked, said, own = [], [], [], set()

    def see(write, *, width=1180, **options):
        path = write(tmp_path / f"report{len(contexts)}.html")
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        context.set_default_timeout(
            600_000
        )  # waits end when what they wait for is there, on a busy machine too
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(
            "window.breaches = []; addEventListener('securitypolicyviolation', (one) => breaches.push(one.blockedURI));"
        )
        page.on("request", lambda request: asked.append(request.url))
        failed = []
        page.on("requestfailed", lambda request: failed.append(request.failure))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(path.as_uri())
        own.add(path.as_uri())
        page.said, page.asked = said, asked
        page.refused = failed
        return page

    yield see
    for context in contexts:
        if not said:
            assert [one for page in context.pages for one in page.evaluate("window.breaches")] == []
        context.close()
    outside = {url for url in asked if not url.startswith("blob:")}  # what the page holds itself
    assert outside <= own, "a page asked for something"
    assert said == []
