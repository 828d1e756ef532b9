// Uses the client that openapi-generator makes for TypeScript, once it is compiled.
//
// usage: typescript.cjs FOLDER ADDRESS KEY IMAGE
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");

const [folder, address, key, file] = process.argv.slice(2);
const vq = require(path.resolve(folder));
const settings = new vq.Configuration({ basePath: address, accessToken: key });
const image = new Blob([fs.readFileSync(file)], { type: "image/jpeg" });
const ids = (answer) => answer.values.map((value) => value.id);

async function main() {
  const match = new vq.MatchApi(settings);
  const found = await match.match({ image, request: { labels: ["box"], limit: 2 } });
  assert.strictEqual(ids(found)[0], "oats");
  const bare = await match.matchImage({ body: image, labels: ["box"], limit: 1 });
  assert.deepStrictEqual(ids(bare), ["oats"]);
  const further = await match.continueMatch({ matchContinuation: { continuation: bare.continuation } });
  assert.ok(further.values.length > 0 && !ids(further).includes("oats"));
  assert.ok((await match.matchQuery({ matchQuestion: { labels: ["mug"] } })).values.length > 0);

  const entities = new vq.EntitiesApi(settings);
  const place = { type: "product", id: "third" };
  const row = { title: "Third stranger", labels: ["stranger"] };
  assert.strictEqual((await entities.putEntity({ ...place, entityRow: row })).effect, "added");
  assert.strictEqual((await entities.putEntityForm({ ...place, entity: row, image })).images.length, 1);
  assert.strictEqual((await entities.listEntities({ cursor: "" })).entities.length, 33);
  const statement = { query: found.continuation, chosen: "product:oats" };
  assert.strictEqual((await new vq.FeedbackApi(settings).giveFeedback({ statement })).state, "active");
  await entities.deleteEntity(place);
}

main().catch((error) => {
  console.error("FAIL: typescript:", error.response ? error.response.status : "", error);
  process.exit(1);
});
