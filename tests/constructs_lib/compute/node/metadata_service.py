"""An instance metadata service on this machine: version 2 only, as on the nodes."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

INSTANCE = "i-0123456789abcdef0"
TOKEN = "a-token"
VALUES = {
    "instance-id": INSTANCE,
    "placement/region": "us-west-2",
    "local-ipv4": "10.0.0.5",
    "local-hostname": "ip-10-0-0-5.us-east-2.compute.internal",
}


class MetadataService:
    """Serves `values`; answers 404 to other paths and 401 to who has no token."""

    def __init__(self):
        self.values = dict(VALUES)
        self.failures = 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self):
                wanted = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds")
                known = self.path == "/latest/api/token" and wanted
                self.answer(200 if known else 400, TOKEN)

            def do_GET(self):
                if self.headers.get("X-aws-ec2-metadata-token") != TOKEN:
                    return self.answer(401, "")
                if service.failures > 0:
                    service.failures -= 1
                    return self.answer(503, "")
                value = service.values.get(self.path.removeprefix("/latest/meta-data/"))
                return self.answer(404 if value is None else 200, value or "")

            def answer(self, status, text):
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *words):
                del words

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
