#!/usr/bin/env python3
"""Shops whose products share something: shared.py CATALOGUE OUT, then shared.py --score VQ... --tasks OUT [--only TASK] [--misses]

CATALOGUE is a catalogue (JSON Lines with absolute image paths); the first image of one entity of each group is used. Makes a folder of OUT for each of these tasks, with
catalogue.jsonl, queries.jsonl and images. A third of the products is left out of each catalogue: nothing is right for those, nor for an image of what is shared alone.
  chart        each product also has one size chart, of which a third saved their own file; a question is the page of a product, with the chart beneath its image
  placeholder  as many spare parts as there are products, all with one placeholder; a question is a page of six tiles, one of which shows a product
  scene        every image shows its product in one studio; a question is such an image
  logo         every image has the shop's logo somewhere; a question is such an image
  plain        nothing is shared: the products alone, each asked as in the other tasks
--score prints for each program and task: the share of present things that are shown first and alone, that have something wrong beside or instead of them, and the share of absent ones
and of what is shared alone with a sure answer. With --misses, also which. Seeded; needs Pillow.
"""
import argparse
import io
import json
import os
import random
import subprocess
import tempfile

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

SIDE = 480


def loaded(path):
    """An image on white, at most SIDE pixels a side."""
    image = Image.open(path).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(image)
    image = ground.convert("RGB")
    image.thumbnail((SIDE, SIDE))
    return image


def font(size):
    return ImageFont.load_default(size)


def chart():
    """A size chart: a table of numbers with a heading."""
    image = Image.new("RGB", (480, 360), "white")
    draw = ImageDraw.Draw(image)
    draw.text((20, 12), "Size chart", "black", font(28))
    for row, name in enumerate(["", "Chest", "Waist", "Hips", "Inseam", "Sleeve", "Neck"]):
        top = 60 + row * 40
        draw.rectangle((20, top, 460, top + 40), "#e8eef4" if row % 2 else "white", "#555")
        draw.text((28, top + 10), name, "black", font(18))
        for column, size in enumerate(["XS", "S", "M", "L", "XL"]):
            left = 130 + column * 66
            draw.line((left - 8, top, left - 8, top + 40), "#555")
            draw.text((left, top + 10), size if row == 0 else f"{31 + 17 * row % 50 + 4 * column} cm", "black", font(16))
    return image


def placeholder():
    image = Image.new("RGB", (400, 400), "#f2f2f2")
    draw = ImageDraw.Draw(image)
    draw.rectangle((120, 110, 280, 230), None, "#999", 6)
    draw.ellipse((145, 130, 175, 160), "#bbb")
    draw.polygon(((130, 222), (190, 160), (225, 195), (245, 175), (272, 222)), "#bbb")
    draw.text((92, 260), "Image coming soon", "#777", font(26))
    return image


def studio():
    """A wall with a board, books and a plant, a free place before it."""
    draws = random.Random(5)
    image = Image.new("RGB", (640, 640), "#d9d2c6")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 500, 640, 640), "#a98c6c")
    for line in range(9):
        draw.line((0, 510 + line * 15, 640, 506 + line * 17), "#93775a", 2)
    draw.rectangle((20, 120, 200, 132), "#7a5c40")
    for book in range(9):
        left, height = 26 + book * 19, draws.randint(50, 90)
        color = tuple(draws.randint(30, 210) for _ in range(3))
        draw.rectangle((left, 120 - height, left + 16, 119), color)
        for line in range(3):
            draw.line((left + 3, 112 - line * 14, left + 13, 112 - line * 14), "white", 2)
    draw.polygon(((520, 500), (600, 500), (588, 420), (532, 420)), "#b5562f")
    for leaf in range(26):
        x, y = draws.randint(480, 625), draws.randint(240, 420)
        draw.polygon(((560, 425), (x, y), (x + draws.randint(8, 26), y + draws.randint(8, 30))), (draws.randint(20, 90), draws.randint(90, 170), draws.randint(30, 90)))
    draw.rectangle((430, 40, 610, 190), "#f4f0e6", "#40352a", 6)
    for _ in range(14):
        x, y = draws.randint(440, 580), draws.randint(50, 165)
        draw.ellipse((x, y, x + draws.randint(8, 26), y + draws.randint(8, 20)), tuple(draws.randint(40, 230) for _ in range(3)))
    return image.filter(ImageFilter.GaussianBlur(0.7))


def cut_out(image):
    """The mask of what differs from the color of the corners."""
    corners = [image.getpixel((x, y)) for x in (2, image.width - 3) for y in (2, image.height - 3)]
    ground = tuple(sorted(channel)[1] for channel in zip(*corners))
    difference = ImageChops.difference(image, Image.new("RGB", image.size, ground))
    mask = difference.convert("L").point(lambda value: 255 if value > 14 else 0)
    mask = mask.filter(ImageFilter.MaxFilter(9)).filter(ImageFilter.MinFilter(9))
    return mask.filter(ImageFilter.GaussianBlur(1))


def staged(image, scene):
    result = scene.copy()
    if image is not None:
        image = image.copy()
        image.thumbnail((300, 330))
        result.paste(image, (320 - image.width // 2, 560 - image.height), cut_out(image))
    return result


def logo():
    image = Image.new("RGBA", (120, 120), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.ellipse((2, 2, 117, 117), "#183a5a", "white", 4)
    draw.polygon(((60, 16), (72, 46), (104, 46), (78, 66), (88, 98), (60, 78), (32, 98), (42, 66), (16, 46), (48, 46)), "#f3c53c", "white")
    draw.text((34, 50), "NORD", "#183a5a", font(19))
    return image


def branded(image, mark, draws):
    result = image.copy()
    side = round(min(image.size) * draws.uniform(0.24, 0.34))
    own = mark.resize((side, side), Image.LANCZOS)
    result.paste(own, (round((image.width - side) * draws.uniform(0.35, 0.65)), round((image.height - side) * draws.uniform(0.35, 0.65))), own)
    return result


def saved(image, quality):
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return Image.open(io.BytesIO(file.getvalue())).convert("RGB")


def edited(image, draws):
    """An image as people send it: cropped, small and saved again, or turned and warmer."""
    if draws.random() < 0.5:
        x, y = round(image.width * 0.03), round(image.height * 0.03)
        image = image.crop((x, y, image.width - x, image.height - y))
        image.thumbnail((420, 420))
        return saved(image, 62)
    ground = image.getpixel((2, 2))
    image = image.rotate(draws.uniform(-5, 5), Image.BICUBIC, fillcolor=ground)
    red, green, blue = image.split()
    return saved(Image.merge("RGB", (red.point(lambda v: min(255, round(v * 1.05))), green, blue.point(lambda v: round(v * 0.94)))), 85)


def page(image, below):
    """The page of a product: a heading, its image, a price, and what else it has."""
    result = Image.new("RGB", (560, 80 + image.height + 60 + below.height), "white")
    draw = ImageDraw.Draw(result)
    draw.text((20, 20), "Shop  /  All products", "#333", font(22))
    result.paste(image, (40, 70))
    draw.text((40, 76 + image.height), "19.90 EUR    In stock", "#222", font(20))
    result.paste(below, (40, 120 + image.height))
    return result


def tiles(images):
    result = Image.new("RGB", (780, 540), "white")
    for index, image in enumerate(images):
        image = image.copy()
        image.thumbnail((220, 220))
        result.paste(image, (20 + index % 3 * 260, 20 + index // 3 * 260))
    return result


class Task:
    def __init__(self, out, name):
        self.folder, self.rows, self.questions = f"{out}/{name}", [], []
        os.makedirs(f"{self.folder}/images", exist_ok=True)

    def image(self, name, image, quality=90):
        path = f"{os.path.abspath(self.folder)}/images/{name}.jpg"
        image.save(path, quality=quality)
        return path

    def add(self, id, images):
        self.rows.append({"type": "product", "id": id, "title": id, "images": images})

    def ask(self, name, image, truth, edit):
        path = self.image(f"q-{name}", image, 88)
        self.questions.append({"query": name, "image": path, "truth": truth, "labels": [], "edit": edit})

    def write(self):
        for name, rows in (("catalogue", self.rows), ("queries", self.questions)):
            with open(f"{self.folder}/{name}.jsonl", "w") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)


def build(catalogue, out):
    things = {}
    for row in map(json.loads, open(catalogue)):
        if row.get("images"):
            things.setdefault(row.get("group", row["id"]), row)
    draws = random.Random(66)
    ids = sorted(row["id"] for row in things.values())
    absent = set(draws.sample(ids, len(ids) // 3))
    tasks = {name: Task(out, name) for name in ("chart", "placeholder", "scene", "logo", "plain")}
    table, blank, scene, mark = chart(), placeholder(), studio(), logo()
    tables = [tasks["chart"].image("chart", table)]
    blanks = tasks["placeholder"].image("placeholder", blank)
    for number, row in enumerate(sorted(things.values(), key=lambda row: row["id"])):
        id, image = row["id"], loaded(row["images"][0])
        truth, edit = ([], "absent") if id in absent else ([id], "present")
        name = f"p{number}"
        labelled = branded(image, mark, draws)
        if id not in absent:
            own = tasks["chart"].image(f"chart-{name}", table.resize((480 - 4 * (number % 20), 360 - 3 * (number % 20)), Image.LANCZOS), 70 + number % 20) if number % 3 == 0 else tables[0]
            tasks["chart"].add(id, [tasks["chart"].image(name, image), own])
            tasks["placeholder"].add(id, [tasks["placeholder"].image(name, image)])
            tasks["scene"].add(id, [tasks["scene"].image(name, staged(image, scene))])
            tasks["logo"].add(id, [tasks["logo"].image(name, labelled)])
            tasks["plain"].add(id, [tasks["plain"].image(name, image)])
        tasks["placeholder"].add(f"part-{number}", [blanks])
        small = edited(image, draws)
        tasks["chart"].ask(name, page(small, table), truth, edit)
        place = draws.randrange(6)
        tasks["placeholder"].ask(name, tiles([small if index == place else blank for index in range(6)]), truth, edit)
        tasks["scene"].ask(name, edited(staged(image, scene), draws), truth, edit)
        tasks["logo"].ask(name, edited(labelled, draws), truth, edit)
        tasks["plain"].ask(name, small, truth, edit)
    for name, image in (("chart", table), ("placeholder", blank), ("scene", scene)):
        tasks[name].ask("alone", edited(image, draws), [], "alone")
        tasks[name].ask("alone-as-it-is", image, [], "alone")
    ground = Image.new("RGB", (400, 400), "#20324e")
    tasks["logo"].ask("alone", branded(ground, mark, draws), [], "alone")
    for task in tasks.values():
        task.write()
        print(f"{task.folder}: {len(task.rows)} products, {len(task.questions)} questions")


def score(programs, out, only, misses):
    print("| task | program | present | shown right | with a wrong one | absent, alone | shown |\n|---|---|---|---|---|---|---|")
    for name in only or ("plain", "chart", "placeholder", "scene", "logo"):
        questions = [json.loads(line) for line in open(f"{out}/{name}/queries.jsonl")]
        for vq in programs:
            with tempfile.TemporaryDirectory() as folder:
                index, root = f"{folder}/shop.vq", os.path.abspath(f"{out}/{name}/images")
                subprocess.run([vq, "index", f"{out}/{name}/catalogue.jsonl", "--index", index, "--images-root", root, "--allow-outside", root, "-q"], check=True)
                found = subprocess.run([vq, "match", "--json", "--deadline", "0", "--index", index, *(q["image"] for q in questions)], capture_output=True, text=True).stdout
            right = wrong = false = 0
            for question, answer in zip(questions, map(json.loads, found.splitlines()), strict=True):
                shown = [value["id"] for value in answer["values"]]
                if question["truth"]:
                    right += shown[:1] == question["truth"]
                    wrong += any(id not in question["truth"] for id in shown)
                else:
                    false += bool(shown)
                if misses and (shown[:1] or [None]) != (question["truth"] or [None]):
                    print(f"  {name} {question['query']} ({question['edit']}) {question['truth']}: {[(v['id'], round(v['confidence'], 3)) for v in answer['values']]}")
            present = sum(bool(question["truth"]) for question in questions)
            absent = len(questions) - present
            print(f"| {name} | {os.path.basename(vq)} | {present} | {right / present:.3f} | {wrong / present:.3f} | {absent} | {false / max(1, absent):.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--score", nargs="+", metavar="VQ")
    parser.add_argument("--tasks")
    parser.add_argument("--only", action="append")
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    if arguments.score:
        score(arguments.score, arguments.tasks, arguments.only, arguments.misses)
    else:
        build(*arguments.paths)


if __name__ == "__main__":
    main()
