"""Lets schemathesis send JSON Lines, which it does not know: the document has them as a text."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else str(value).encode()
