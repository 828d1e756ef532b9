"""Uses the client that openapi-generator makes for Python.

usage: openapi_generator.py ADDRESS KEY IMAGE
"""

import sys

import openapi_client as vq

address, key, path = sys.argv[1:]
with open(path, "rb") as file:
    image = file.read()
client = vq.ApiClient(vq.Configuration(host=address, access_token=key))
match, entities = vq.MatchApi(client), vq.EntitiesApi(client)


def ids(answer):
    return [value.actual_instance.id for value in answer.values]


found = match.match(image=("photo.jpg", image), request=vq.MatchDetails(labels=["box"], limit=2))
assert ids(found)[0] == "oats" and len(ids(found)) == 2, ids(found)
bare = match.match_image(image, labels=["box"], limit=1)
assert ids(bare) == ["oats"], ids(bare)
further = match.continue_match(vq.MatchContinuation(continuation=bare.continuation))
assert further.values and "oats" not in ids(further), ids(further)
assert ids(match.match_query(vq.MatchQuestion(labels=["mug"])))

row = vq.EntityRow(vq.ProductRow(title="Stranger", labels=["stranger"], featured=True))
assert entities.put_entity("product", "stranger", row).effect == "added"
assert entities.put_entity_form("product", "stranger", row, image=("photo.jpg", image)).images
kept = entities.get_entity("product", "stranger").actual_instance.entity.actual_instance
assert kept.product.title == "Stranger" and kept.product.featured, kept

listed, cursor = [], ""
while cursor is not None:
    page = entities.list_entities(cursor=cursor, limit=20).actual_instance
    listed += [entity.actual_instance.id for entity in page.entities]
    cursor = page.cursor
assert len(listed) == 33 and "stranger" in listed, listed
assert len(entities.get_thumbnail("product", "oats")) > 1000

said = vq.Statement(query=found.continuation, chosen="product:oats")
assert vq.FeedbackApi(client).give_feedback(said).state == "active"
assert vq.FeedbackApi(client).give_feedback_form(said, image=("photo.jpg", image)).has_image
entities.delete_entity("product", "stranger")
