"""Access control: wrong Hosts, Origins, cookies and keys on every route, the one-time code, headers."""

import re
from typing import Any

import pytest

from ..conftest import require

require("httpx")
require("websockets")

from websockets.exceptions import InvalidStatus

from chainrule.studio.server.files import GENERATED

from .client import Studio

PUBLIC = [
    *("/", "/enter", "/static/studio/static/pages/app.js", "/static/studio/static/shared/requests.js"),
    *(f"/static/{name}" for name in GENERATED),
]
PRIVATE = [
    *("/api/picture", "/api/check", "/api/export", "/api/code", "/api/sample", "/train", "/nothing"),
    *("/api/course", "/api/lesson/1", "/api/work/write_mul", "/api/run-blocks", "/api/run-exercise"),
    *("/api/check-exercise", "/api/"),
    *("/api/stop", "/api/hint", "/api/solution", "/api/quiz", "/api/question", "/docs", "/static"),
]
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", PRIVATE)
def test_private_routes_need_the_cookie_and_the_key(studio: Studio, path: str, method: str) -> None:
    """The cookie alone, which every server on this machine receives, is useless; so is the key alone."""
    for headers, status in (
        ({"Cookie": None}, 401),
        ({"Cookie": studio.cookie[:-1] + "!"}, 401),
        ({"Cookie": None, "X-Chainrule-Key": None}, 401),
        ({"X-Chainrule-Key": None}, 403),
        ({"X-Chainrule-Key": ""}, 403),
        ({"X-Chainrule-Key": studio.key[:-1]}, 403),
        ({"X-Chainrule-Key": studio.cookie.partition("=")[2]}, 403),
        ({"X-Chainrule-Key": studio.token}, 403),
        ({"X-Chainrule-Key": None, "Sec-WebSocket-Protocol": f"chainrule, {studio.key}"}, 403),
    ):
        answer = studio.request(method, path, headers=headers)
        assert answer.status_code == status, headers
        if method != "HEAD":
            assert set(answer.json()) == {"error"}
            said = answer.json()["error"].startswith("the cookie alone is not enough")
            assert said == (status == 403)


def test_the_lists_above_contain_every_route(studio: Studio) -> None:
    served = {route.path for route in studio.guard.app.routes}
    examples = {"/static/{name:path}", "/api/lesson/{number}", "/api/work/{exercise}"}
    assert served - examples <= {*PUBLIC, *PRIVATE}


@pytest.mark.parametrize("path", PUBLIC)
def test_public_files_contain_no_secrets(studio: Studio, path: str) -> None:
    answer = studio.bare("GET", studio.origin + path)
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    for secret in (studio.token, studio.key, studio.cookie.partition("=")[2]):
        assert secret not in answer.text
    for method in METHODS[2:]:
        if (method, path) != ("POST", "/enter"):
            headers = {"X-Chainrule-Key": None}
            assert studio.request(method, path, headers=headers).status_code == 403


def test_signed_in_an_unknown_route_is_404_and_a_wrong_method_405(studio: Studio) -> None:
    assert studio.request("GET", "/nothing").json() == {"error": "not found"}
    assert studio.request("GET", "/nothing").status_code == 404
    assert studio.request("GET", "/api/picture").status_code == 405
    assert studio.request("GET", "/api/picture").json() == {"error": "GET is not allowed here"}
    assert studio.request("DELETE", "/").status_code == 405


# --- Host ----------------------------------------------------------------------------------------


HOSTS = [
    *("evil.example", "evil.example:{port}", "127.0.0.1", "localhost", "127.0.0.1:{next}"),
    *("127.0.0.1:{port}.evil.example", "127.0.0.1.evil.example:{port}", "localhost.evil.example:{port}"),
    *("localhost.:{port}", "LOCALHOST:{port}", "evil.example@127.0.0.1:{port}"),
    *("127.0.0.1:{port}@evil.example", "127.1:{port}", "0.0.0.0:{port}", "2130706433:{port}"),
    *("0x7f000001:{port}", "127.0.0.1:0{port}", "[::]:{port}", "[::ffff:127.0.0.1]:{port}"),
    *("::1:{port}", "127.0.0.1:{port}, evil.example", "127.0.0.1:{port}/", ""),
]
ORIGINS = [
    *("null", "http://evil.example", "https://{host}", "http://{host}.evil.example"),
    "http://localhost:{port}",  # an origin that differs from the Host
    *("http://127.0.0.1:{next}", "http://{host}/", "http://evil.example, {origin}", "file://", ""),
]


def of(template: str, studio: Studio) -> str:
    """Insert the port and the addresses of this studio."""
    port, host, origin = studio.port, studio.host, studio.origin
    return template.format(port=port, next=port + 1, host=host, origin=origin)


@pytest.mark.parametrize("host", HOSTS)
def test_foreign_and_lookalike_hosts_are_rejected(studio: Studio, host: str) -> None:
    host = of(host, studio)
    for line in ("GET /", "GET /nothing", "GET /enter", "POST /enter"):
        head = studio.head(line, Host=host, Content_Length=49)
        status, answer = studio.raw(head, f"token={studio.token}".encode())
        assert status in (400, 403), answer
        assert b"set-cookie" not in answer.lower()
    status, _ = studio.raw(upgrade(studio, host.encode()))
    assert status in (400, 403)


def upgrade(studio: Studio, host: bytes, origin: bytes | None = None) -> bytes:
    origin = b"http://" + host if origin is None else origin
    return (
        b"GET /train HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nCookie: %s\r\n"
        b"Sec-WebSocket-Protocol: chainrule, %s\r\n"
    ) % (host, origin, studio.cookie.encode(), studio.key.encode())


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_the_three_names_of_this_machine_are_accepted(studio: Studio, name: str) -> None:
    host = f"{name}:{studio.port}"
    status, answer = studio.raw(studio.head("GET /nothing", Host=host, Origin=None))
    assert status == 404
    assert f"connect-src 'self' ws://{host};".encode() in answer


def test_a_request_needs_exactly_one_host(studio: Studio) -> None:
    cookie, host = studio.cookie.encode(), studio.host.encode()
    for version in (b"1.1", b"1.0"):
        head = b"GET / HTTP/%s\r\nCookie: %s\r\n" % (version, cookie)
        assert studio.raw(head)[0] in (400, 403)
        for second in (host, b"evil.example"):
            for pair in ((host, second), (second, host)):
                both = b"".join(b"Host: %s\r\n" % one for one in pair)
                assert studio.raw(head + both)[0] in (400, 403)


def test_an_absolute_target_does_not_override_the_host(studio: Studio) -> None:
    line = b"GET http://%s/ HTTP/1.1\r\n" % studio.host.encode()
    head = line + b"Host: evil.example\r\nCookie: %s\r\n" % studio.cookie.encode()
    assert studio.raw(head)[0] in (400, 403)
    forwarded = {"Host": "evil.example", "X-Forwarded-Host": studio.host, "Forwarded": studio.host}
    assert studio.request("GET", "/", headers=forwarded).status_code == 403


# --- Origin --------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ORIGINS)
def test_foreign_origins_are_rejected(studio: Studio, origin: str) -> None:
    origin = of(origin, studio)
    for method, path in (("GET", "/nothing"), ("POST", "/api/picture"), ("OPTIONS", "/api/picture")):
        answer = studio.request(method, path, headers={"Origin": origin}, json={"expression": "a"})
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
    assert studio.raw(upgrade(studio, studio.host.encode(), origin.encode()))[0] == 403


def test_requests_that_change_something_need_an_origin(studio: Studio) -> None:
    for method in METHODS[2:]:
        assert studio.request(method, "/api/picture", headers={"Origin": None}).status_code == 403
    assert studio.request("GET", "/nothing", headers={"Origin": None}).status_code == 404
    with pytest.raises(InvalidStatus) as refused, studio.socket(Origin=None):
        pass
    assert refused.value.response.status_code == 403


def test_two_origins_are_rejected(studio: Studio) -> None:
    head = b"POST /api/picture HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nContent-Length: 0\r\n"
    both = b"Origin: %s\r\nOrigin: http://evil.example\r\n" % studio.origin.encode()
    assert studio.raw(head % (studio.host.encode(), studio.cookie.encode()) + both)[0] == 403


def test_a_socket_needs_cookie_key_and_origin(studio: Studio) -> None:
    """Without them it is rejected before it opens, so that it cannot occupy one of the few sockets."""
    for headers, status in (
        ({"Cookie": None}, 401),
        ({"Cookie": "chainrule=1"}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"key": ""}, 403),
        ({"key": studio.key[:-1]}, 403),
        ({"key": studio.cookie.partition("=")[2]}, 403),
        ({"key": "", "X-Chainrule-Key": studio.key}, 403),  # a page cannot send it this way
    ):
        with pytest.raises(InvalidStatus) as refused, studio.socket(**headers):
            pass
        assert refused.value.response.status_code == status
        assert refused.value.response.headers["X-Content-Type-Options"] == "nosniff"
    with studio.socket() as run:
        run.send("nonsense")
        assert run.text("error")["message"].startswith("type must be one of start, pause,")


@pytest.mark.parametrize(("site", "status"), [("same-origin", 404), ("none", 404), ("same-site", 403)])
def test_only_same_origin_and_direct_requests_are_accepted(
    studio: Studio, site: str, status: int
) -> None:
    """A server on another port of this machine counts as the same site, and must be rejected."""
    answer = studio.request("GET", "/nothing", headers={"Sec-Fetch-Site": site})
    assert answer.status_code == status
    assert studio.request("GET", "/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


# --- the one-time code ---------------------------------------------------------------------------


@pytest.fixture
def fresh() -> Any:
    running = Studio()
    yield running
    running.close()


def posted(studio: Studio, body: str, **options: Any) -> Any:
    return studio.bare("POST", f"{studio.origin}/enter", content=body, **options)


def test_the_code_works_for_one_browser(fresh: Studio) -> None:
    code = fresh.token
    wrong = ("", "token=", "token=wrong", "token=%C3%A4", "token=%ED%A0%80", f"token={code}x")
    odd = (f"token={code[:-1]}", f"token=a&token={code}", f"token={code}&token={code}", code)
    for body in (*wrong, *odd, f'{{"token": "{code}"}}'):
        answer = posted(fresh, body)
        assert answer.status_code == 403, body
        assert "set-cookie" not in answer.headers
        assert fresh.guard.key not in answer.text
    for method in ("GET", "HEAD", "PUT"):
        url, headers = f"{fresh.origin}/enter?token={code}", {"Origin": fresh.origin}
        answer = fresh.bare(method, url, headers=headers)
        assert answer.status_code == (401 if method == "PUT" else 200)
        assert "set-cookie" not in answer.headers
    answer = fresh.enter()
    assert answer.status_code == 200
    cookie = answer.headers["set-cookie"]
    pattern = rf"chainrule_{fresh.port}=[\w-]{{43}}; Max-Age=2592000; HttpOnly; SameSite=Strict; Path=/"
    assert re.fullmatch(pattern, cookie)
    assert len({code, fresh.key, fresh.cookie.partition("=")[2]}) == 3
    assert code not in cookie + answer.text
    assert fresh.key not in cookie
    for headers in ({}, fresh.headers()):  # not even for a signed-in client
        again = posted(fresh, f"token={code}", headers=headers)
        assert again.status_code == 403
        text = "another browser has used this code: use that browser, or restart `chainrule studio`"
        assert again.json() == {"error": text}
        assert "set-cookie" not in again.headers


def test_a_local_file_may_submit_the_code(fresh: Studio) -> None:
    """A file has no origin, and a browser treats it as cross-site; only the code matters."""
    headers = {"Origin": "null", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert posted(fresh, "token=wrong", headers=headers).status_code == 403
    assert posted(fresh, f"token={fresh.token}", headers=headers).status_code == 200


def test_browsers_get_errors_as_plain_text(fresh: Studio) -> None:
    """A browser that sends an old code gets a sentence, not JSON."""
    asked = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    answer = posted(fresh, "token=old", headers=asked)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    advice = "use the code that the studio printed"
    text = f"chainrule studio: this is not the code of the running studio: {advice}\n"
    assert answer.text == text
    answer = fresh.bare("GET", fresh.origin + "/api/course", headers=asked)
    assert (answer.status_code, answer.text) == (
        401,
        "chainrule studio: this browser is not signed in: open the file that `chainrule studio` "
        "printed, or /enter\n",
    )


def test_the_cookie_and_key_of_a_different_studio_are_rejected(studio: Studio, fresh: Studio) -> None:
    fresh.enter()
    own, key, value = fresh.cookie, fresh.key, studio.cookie.partition("=")[2]
    foreign = f"chainrule_{fresh.port}={value}; {studio.cookie}"
    cases = ((own, key, 200), (foreign, key, 401), (own, studio.key, 403), (foreign, studio.key, 401))
    for cookie, given, status in cases:
        fresh.cookie, fresh.key = cookie, given
        assert fresh.request("GET", "/api/course").status_code == status


def test_the_cookie_is_found_among_others(studio: Studio) -> None:
    for cookie in (f"a=b; {studio.cookie}", f"{studio.cookie}; chainrule=2"):
        assert studio.request("GET", "/nothing", headers={"Cookie": cookie}).status_code == 404


# --- headers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/", "/nothing", "/static/studio/static/pages/app.js", "/enter", "/api/picture"]
)
@pytest.mark.parametrize("entered", [True, False])
def test_every_response_has_the_security_headers(studio: Studio, path: str, entered: bool) -> None:
    answer = studio.request("GET", path, headers={} if entered else {"Cookie": None})
    form = "self" if path == "/enter" else "none"
    assert answer.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self' ws://{studio.host}; base-uri 'none'; form-action '{form}'; "
        "frame-ancestors 'none'"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["cross-origin-embedder-policy"] == "require-corp"
    assert answer.headers["cache-control"] == "no-store"
    assert "camera=()" in answer.headers["permissions-policy"]
    assert "server" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


def test_a_foreign_host_does_not_appear_in_the_response(studio: Studio) -> None:
    answer = studio.request("GET", "/", headers={"Host": "evil.example"})
    assert answer.status_code == 403
    assert "evil" not in str(answer.headers) + answer.text


def test_the_server_listens_on_the_loopback_address_only(studio: Studio) -> None:
    opened = [each for server in studio.server.servers for each in server.sockets]
    assert [each.getsockname()[0] for each in opened] == ["127.0.0.1"]
