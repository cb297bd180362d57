"""The part of Firestore's REST API that gattbench uses, for tests: firestore_double.py [TOKEN]

Serves "documents:commit" and "documents:batchGet" on a free port of the loopback interface, which it prints. Written from the
public reference of the API: the writes of a commit are made together or not at all, preconditions are checked first, a commit
has at most 500 writes and 10 MiB, a document 1 MiB, a value has one type. With TOKEN, requests without it are refused.

POST /faults takes a list of what happens to the next commits, in order: "429", "500", "503" and "409" (contention) refuse them,
"429 nan" tells no time with it, "302" and "html" answer as a proxy does that wants a login, "drop" and "drop-after" end the connection before and after the commit has its effect, "half" sends half of the answer and ends,
"stall" sends half of it and nothing for 30 s, "quote" refuses the commit and quotes its headers, "ok" is none. GET /documents tells all documents by their names, how often each was
written, and the number of commits that had an effect. POST /documents writes documents, as another program does.
"""

import http.server
import json
import re
import sys
import threading
import time

TOKEN = sys.argv[1] if len(sys.argv) > 1 else None
VALUES = {
    "integerValue": lambda value: isinstance(value, str) and re.fullmatch(r"-?\d+", value),
    "booleanValue": lambda value: isinstance(value, bool),
    "stringValue": lambda value: isinstance(value, str),
    "timestampValue": lambda value: re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", value),
}
STATUS = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL",
    503: "UNAVAILABLE",
}
documents, times, written, faults, commits, sizes = {}, {}, {}, [], 0, []
lock = threading.Lock()


class Refused(Exception):
    def __init__(self, code, message, status=None, retry="1"):
        super().__init__(message)
        self.code, self.status, self.retry = code, status or STATUS[code], retry


def check(write, root):
    """Refuses a write that is none, or whose precondition does not hold."""
    unknown = set(write) - {"update", "currentDocument"}
    name = write["update"]["name"]
    path = name.removeprefix(root + "/").split("/")
    if unknown or not name.startswith(root + "/") or len(path) % 2 or not all(path):
        raise Refused(400, f"no document: {name}, {unknown}")
    if any(len(part.encode()) > 1500 or part in (".", "..") or re.fullmatch("__.*__", part) for part in path):
        raise Refused(400, f"no identifier: {name}")
    if len(json.dumps(write["update"]["fields"], ensure_ascii=False).encode()) > 1 << 20:
        raise Refused(400, f"the document is larger than 1 MiB: {name}")
    for field, value in write["update"]["fields"].items():
        ((kind, content),) = value.items()
        if kind not in VALUES or not VALUES[kind](content):
            raise Refused(400, f"{field}: {value}")
    precondition = write.get("currentDocument", {})
    if precondition.get("exists") is False and name in documents:
        raise Refused(409, f"Document already exists: {name}", "ALREADY_EXISTS")
    if precondition.get("exists") is True and name not in documents:
        raise Refused(404, f"No document to update: {name}")
    if "updateTime" in precondition and precondition["updateTime"] != times.get(name):
        raise Refused(400, "the stored version does not match the required base version", "FAILED_PRECONDITION")


def commit(root, body):
    """Makes the writes of a commit, or none of them."""
    global commits
    if len(body) > 10 << 20:
        raise Refused(400, "the request is larger than 10 MiB")
    writes = json.loads(body)["writes"]
    if len(writes) > 500:
        raise Refused(400, "more than 500 writes")
    for write in writes:
        check(write, root)
    commits += 1
    sizes.append(len(body))
    moment = f"2026-03-02T12:00:00.{commits:09}Z"
    for write in writes:
        name = write["update"]["name"]
        documents[name], times[name] = write["update"]["fields"], moment
        written[name] = written.get(name, 0) + 1
    return {"writeResults": [{"updateTime": moment} for _ in writes], "commitTime": moment}


def batch_get(body):
    request = json.loads(body)
    mask = request.get("mask", {}).get("fieldPaths")
    answers = []
    for name in request["documents"]:
        if name in documents:
            fields = {key: value for key, value in documents[name].items() if mask is None or key in mask}
            answers.append({"found": {"name": name, "fields": fields, "updateTime": times[name]}})
        else:
            answers.append({"missing": name})
    return answers


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, code, content, part=None, **headers):
        body = json.dumps(content).encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if part else body)
        if part == "stall":
            time.sleep(30)
        if part:
            self.end()

    def end(self):
        self.close_connection = True
        self.connection.close()

    def do_GET(self):
        with lock:
            self.answer(200, {"documents": documents, "written": written, "commits": commits, "sizes": sizes})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        part = None
        try:
            with lock:
                if self.path == "/faults":
                    faults[:] = json.loads(body)
                    result = {}
                elif self.path == "/documents":
                    root = "projects/door/databases/(default)/documents"
                    result = commit(root, body)
                else:
                    fault = "ok"
                    route = re.fullmatch(r"/v1/(projects/[^/]+/databases/[^/]+/documents):(commit|batchGet)", self.path)
                    if not route:
                        raise Refused(404, f"no such method: {self.path}")
                    if TOKEN and self.headers["Authorization"] != f"Bearer {TOKEN}":
                        raise Refused(401, "no valid credentials")
                    if route[2] == "batchGet":
                        result = batch_get(body)
                    else:
                        fault = faults.pop(0) if faults else "ok"
                        if fault == "409":
                            raise Refused(409, "Too much contention on these documents.", "ABORTED")
                        if fault == "302":
                            return self.answer(302, {}, Location="/documents")
                        if fault == "html":
                            return self.answer(200, "<html>Sign in</html>")
                        if fault[0].isdigit():
                            code, _, retry = fault.partition(" ")
                            raise Refused(int(code), "planned", retry=retry or "1")
                        if fault == "quote":
                            raise Refused(503, f"headers: {self.headers} {self.headers['Authorization'][:20]}")
                        if fault == "drop":
                            return self.end()
                        result = commit(route[1], body)
                        if fault == "drop-after":
                            return self.end()
                        part = fault if fault in ("half", "stall") else None
            self.answer(200, result, part)
        except Refused as refused:
            error = {"code": refused.code, "message": str(refused), "status": refused.status}
            headers = {"Retry_After": refused.retry} if refused.code == 429 else {}
            self.answer(refused.code, {"error": error}, **headers)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            self.answer(400, {"error": {"code": 400, "message": repr(error), "status": STATUS[400]}})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
