#!/usr/bin/env python3
"""The tools for agents, asked by the reference client of the Model Context Protocol: agents.py VQ INDEX SAMPLES

Over HTTP and over standard input and output, in the newest revision and in the older ones: list, call, error, resource, cancel. The answer to a photo is that
of the API. One line a check; exit code 1 if one fails. Needs the package mcp.
"""
import asyncio
import base64
import json
import pathlib
import re
import subprocess
import sys
import urllib.request

import mcp
from mcp import Client, StdioServerParameters

VQ, INDEX, SAMPLES = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
failures = 0
PHOTO = (SAMPLES / "queries/q06-oats.jpg").read_bytes()


def say(name, holds, detail=""):
    global failures
    failures += not holds
    print(("ok    " if holds else "FAIL  ") + name + ("" if holds else f": {detail}"), flush=True)


async def walk(name, client, api):
    """Does everything that an agent does in its first minute."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    say(f"{name}: the tools are there", set(tools) == {"match", "search", "get", "stores", "similar"}, tools)
    say(f"{name}: the fields of a question have their schemas", {"image", "labels", "text", "where", "limit"} <= set(tools["match"].input_schema["properties"]),
        tools["match"].input_schema)
    found = (await client.call_tool("match", {"image": base64.b64encode(PHOTO).decode()})).structured_content
    ids = [entity["id"] for entity in found["sure"]]
    say(f"{name}: a photo has the answer of the API", ids == api, (ids, api))
    say(f"{name}: each has a link", all(entity["url"].startswith("https://") for entity in found["sure"]), found)
    found = (await client.call_tool("search", {"words": "enamel mug", "type": "product"})).structured_content
    say(f"{name}: words find products", any("mug" in entity["id"] for entity in found["entities"]), found)
    found = await client.call_tool("get", {"ids": ["product:oats", "store:market"]})
    say(f"{name}: ids are read", [entity["id"] for entity in found.structured_content["entities"]] == ["oats", "market"], found)
    say(f"{name}: the text says the same", json.loads(found.content[0].text) == found.structured_content)
    stores = (await client.call_tool("stores", {})).structured_content["entities"]
    say(f"{name}: stores have addresses", len(stores) == 4 and all(store["address"] for store in stores), stores)
    similar = (await client.call_tool("similar", {"id": "product:mug-red", "limit": 3})).structured_content["entities"]
    say(f"{name}: similar products are found", 1 <= len(similar) <= 3, similar)
    for tool, arguments in (("match", {"image": "https://shop.example/a.jpg"}), ("search", {}), ("get", {"ids": ["oats"]}), ("match", {"lables": ["mug"]})):
        answer = await client.call_tool(tool, arguments)
        say(f"{name}: {tool} {arguments} tells the model its mistake", answer.is_error and answer.content[0].text, answer)
    templates = (await client.list_resource_templates()).resource_templates
    say(f"{name}: resources have templates", [one.uri_template for one in templates] == ["vq://product/{id}", "vq://store/{id}"], templates)
    read = (await client.read_resource("vq://product/oats")).contents[0]
    say(f"{name}: a resource is an entity", json.loads(read.text)["title"] == "Honey oats", read)
    try:
        await client.read_resource("vq://product/none")
        say(f"{name}: a resource that is not there is an error", False)
    except mcp.MCPError as error:
        say(f"{name}: a resource that is not there is an error", error.error.code == -32002 or "none" in str(error), error)


async def main():
    server = subprocess.Popen([VQ, "serve", "--index", INDEX, "--port", "0", "--deadline", "20000", "--max-deadline", "20000"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    base = re.match(r"(http://[^/]+)/", server.stdout.readline()).group(1)
    try:
        request = urllib.request.Request(base + "/v1/match", PHOTO, {"Content-Type": "image/jpeg"})
        with urllib.request.urlopen(request) as answer:
            api = [value["id"] for value in json.load(answer)["values"]]
        for mode in ("auto", "legacy"):
            async with Client(base + "/mcp", mode=mode) as client:
                await walk(f"HTTP, {client.protocol_version}", client, api)
        # A client that hangs up has its search cancelled; the next one is answered.
        async with Client(base + "/mcp") as client:
            task = asyncio.create_task(client.call_tool("match", {"image": base64.b64encode(PHOTO).decode()}))
            await asyncio.sleep(0.01)
            task.cancel()
        async with Client(base + "/mcp") as client:
            say("HTTP: after a call that was given up, the next one is answered", (await client.call_tool("stores", {})).structured_content["entities"])
    finally:
        server.terminate()
        server.wait()
    for mode in ("auto", "legacy"):
        async with Client(StdioServerParameters(command=VQ, args=["mcp", "--index", INDEX]), mode=mode) as client:
            await walk(f"standard input, {client.protocol_version}", client, api)


asyncio.run(main())
sys.exit(failures > 0)
