"""A stand-in for the parts of GitHub's and GitLab's APIs that ci/pipeline uses, on loopback, for its tests.

usage: api.py FOLDER

Writes FOLDER/port when it listens. State is FOLDER/state.json: comments, checks, pulls, files, user; it is
read anew and written at each request, so that a test can put things there and look at them. Each request
is a line of FOLDER/log: method, path, and its token. FOLDER/deny holds a pattern of requests that are
refused with 403. /git/NAME is the repository FOLDER/NAME, as git fetches it, for those alone
who have the token in FOLDER/token. It ends after ten minutes.
"""
import base64
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

folder = sys.argv[1]


def state_read():
    with open(f"{folder}/state.json", encoding="utf-8") as file:
        return json.load(file)


def state_write(state):
    with open(f"{folder}/state.json", "w", encoding="utf-8") as file:
        json.dump(state, file)


def added(rows, row):
    row["id"] = 1000 + len(rows)
    rows.append(row)
    return row


def page(rows, query):
    number, size = (int(query.get(key, [default])[0]) for key, default in (("page", 1), ("per_page", 30)))
    return rows[(number - 1) * size : number * size]


def by_id(rows, wanted):
    return next(row for row in rows if row["id"] == int(wanted))


def answer(method, path, query, body, state):
    """The answer to a request; None where there is no such thing."""
    if match := re.search(r"/issues/\d+/comments$|/notes$", path):
        if method == "GET":
            return page(state["comments"], query)
        who = {"user": {"login": state["me"]}, "author": {"username": state["me"]}}
        return added(state["comments"], {"body": body["body"], **who})
    if match := re.search(r"/(?:issues/comments|notes)/(\d+)$", path):
        comment = by_id(state["comments"], match[1])
        comment["body"] = body["body"]
        return comment
    if path.endswith("/check-runs"):
        return added(state["checks"], body)
    if match := re.search(r"/check-runs/(\d+)$", path):
        check = by_id(state["checks"], match[1])
        check.update(body)
        return check
    if re.search(r"/pulls/\d+/files$", path):
        return page(state["files"][:3000], query)  # GitHub lists no more
    if match := re.search(r"/pulls/(\d+)$", path):
        return state["pulls"].get(match[1])
    if path.endswith("/user") and state.get("user"):
        return {"login": state["user"], "username": state["user"]}
    return None


class Handler(BaseHTTPRequestHandler):
    def reply(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def git(self, parts):
        """What git's own server says, which is a CGI program."""
        with open(f"{folder}/token", encoding="utf-8") as file:
            wanted = base64.b64encode(f"x-access-token:{file.read().strip()}".encode()).decode()
        if self.headers.get("Authorization", "") != f"Basic {wanted}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        names = {"CONTENT_TYPE": "Content-Type", "HTTP_CONTENT_ENCODING": "Content-Encoding", "GIT_PROTOCOL": "Git-Protocol"}
        env = {name: self.headers.get(header, "") for name, header in names.items()}
        env.update(GIT_PROJECT_ROOT=folder, GIT_HTTP_EXPORT_ALL="1", REQUEST_METHOD=self.command, QUERY_STRING=parts.query)
        env["PATH_INFO"] = parts.path.removeprefix("/git")
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        said = subprocess.run(["git", "http-backend"], input=sent, env={**os.environ, **env}, capture_output=True, check=True).stdout
        head, text = said.split(b"\r\n\r\n", 1)
        rows = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(rows.pop("Status", "200").split()[0]))
        for name, value in [*rows.items(), ("Content-Length", str(len(text)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def handle_any(self):
        parts = urlsplit(self.path)
        if parts.path.startswith("/git/"):
            self.git(parts)
            return
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length)) if length else None
        token = self.headers.get("Authorization", "").removeprefix("Bearer ") or self.headers.get("PRIVATE-TOKEN", "")
        with open(f"{folder}/log", "a", encoding="utf-8") as log:
            print(self.command, parts.path, token, file=log)
        deny = f"{folder}/deny"
        if os.path.exists(deny):
            with open(deny, encoding="utf-8") as file:
                if re.search(file.read().strip(), f"{self.command} {parts.path}"):
                    self.reply(403, {"message": "Resource not accessible by integration"})
                    return
        state = state_read()
        found = answer(self.command, parts.path, parse_qs(parts.query), body, state)
        if found is None:
            self.reply(404, {"message": "Not Found"})
            return
        state_write(state)
        self.reply(201 if self.command == "POST" else 200, found)

    do_GET = do_POST = do_PATCH = do_PUT = handle_any

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
with open(f"{folder}/port.new", "w", encoding="utf-8") as file:
    print(server.server_port, file=file)
os.rename(f"{folder}/port.new", f"{folder}/port")
threading.Timer(600, lambda: os._exit(0)).start()
server.serve_forever()
