"""Uses the client that openapi-python-client makes.

usage: openapi_python_client.py ADDRESS KEY IMAGE
"""

import io
import sys

from attrs_client import models
from attrs_client.api.entities import delete_entity, list_entities, put_entity, put_entity_form
from attrs_client.api.feedback import give_feedback, give_feedback_form
from attrs_client.api.match import continue_match, match, match_image, match_query
from attrs_client.client import AuthenticatedClient
from attrs_client.types import File

address, key, path = sys.argv[1:]
with open(path, "rb") as file:
    image = file.read()
client = AuthenticatedClient(base_url=address, token=key)


def photo():
    return File(payload=io.BytesIO(image), file_name="photo.jpg", mime_type="image/jpeg")


def ids(answer):
    return [value.id for value in answer.values]


details = models.MatchDetails(labels=["box"], limit=2)
found = match.sync(client=client, body=models.MatchForm(image=photo(), request=details))
assert ids(found)[0] == "oats" and len(ids(found)) == 2, found
bare = match_image.sync(client=client, body=photo(), labels=["box"], limit=1)
assert ids(bare) == ["oats"], bare
further = continue_match.sync(client=client, body=models.MatchContinuation(continuation=bare.continuation))
assert further.values and "oats" not in ids(further), further
assert ids(match_query.sync(client=client, body=models.MatchQuestion(labels=["mug"])))

row = models.ProductRow(title="Other stranger", labels=["stranger"])
path = {"type_": models.EntityType.PRODUCT, "id": "other"}
assert put_entity.sync(client=client, body=row, **path).effect == "added"
form = models.EntityForm(entity=row, image=photo())
assert put_entity_form.sync(client=client, body=form, **path).images

page = list_entities.sync(client=client, cursor="")
assert len(page.entities) == 33 and "other" in [entity.id for entity in page.entities], page

said = models.Statement(query=found.continuation, chosen="product:oats")
assert give_feedback.sync(client=client, body=said).state == "active"
assert give_feedback_form.sync(client=client, body=models.StatementForm(feedback=said, image=photo())).has_image
assert delete_entity.sync_detailed(client=client, **path).status_code == 204
