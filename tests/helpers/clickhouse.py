"""Queries to a ClickHouse server of this machine."""
import http.client


def ask(port, query, database, timeout):
    """The answer without its last line break; OSError with what the server says where it refuses."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    connection.request("POST", f"/?database={database}", query.encode())
    answer = connection.getresponse()
    text = answer.read().decode()
    if answer.status != 200:
        raise OSError(text)
    return text.strip()
