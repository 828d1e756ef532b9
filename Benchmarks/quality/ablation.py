#!/usr/bin/env python3
"""Takes each mechanism of the search out, one at a time, and counts the answers that it moves.

ablation.py check                                      tells which edits no longer fit the code
ablation.py patch TREE                                 makes the mechanisms of a copy of the source tree depend on the environment; build `vq` there
ablation.py run VQ OUT TASK… [--indexes DIR] [--queries N] [--only PATTERN] [--together] [--allow-outside DIR]
                                                       asks the queries of the tasks without each mechanism, by the program of the copy;
                                                       with --together without all that fit the pattern at once
ablation.py show OUT                                   prints the board

The copy is for this only: the search itself reads nothing of the environment. A mechanism is an edit of an expression that lets a question do without it (`EDITS`);
a number may be moved by `sensitivity.py`, but only without its mechanism does one know what that is worth. A TASK is NAME=QUERIES:INDEX, or a folder with
catalogue.jsonl and queries.jsonl, or one with such folders. A task with labels is asked with them and, as NAME-, without. An answer moves if another entity is
first, or if it crosses the default cut-off. OUT is written after each mechanism of a task, and what it has is not measured again, so that a run may be
interrupted; --queries takes about as many of each task.

A mechanism that moves fewer than two answers of every task is not worth its code (docs/quality-trials.md, "What each mechanism moves").
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MATCHING, GEOMETRY = "VisualQuery/Search/Matching", "PixelMatch/Geometry"
CUT_OFF = 0.85

# The mechanisms: a name, the file, and an expression of it as it is and as it is in the copy. OUT is true if a question is to do without the mechanism.
EDITS = [
    # What casts doubt on a lead.
    ("colorDoubt", f"{MATCHING}/Rivals", "Self.colorDoubt(of: own, siblingInliers: most)", "OUT ? 0 : Self.colorDoubt(of: own, siblingInliers: most)"),
    ("shapeDoubt", f"{MATCHING}/Rivals", "Self.shapeDoubt(of: own, rivalInliers: most)", "OUT ? 0 : Self.shapeDoubt(of: own, rivalInliers: most)"),
    ("sharedDoubt", f"{MATCHING}/Rivals", "Self.sharedDoubt(of: own, rivalInliers: most)", "OUT ? 0 : Self.sharedDoubt(of: own, rivalInliers: most)"),
    ("sharedDoubt.alignsAsWell", f"{MATCHING}/Rivals", "* (1 - alignsAsWell.share(at: inlierRatio(own.inliers, to: most)))",
     "* (OUT ? 1 : 1 - alignsAsWell.share(at: inlierRatio(own.inliers, to: most)))"),
    ("sharedDoubt.sameColors", f"{MATCHING}/Rivals", "* (1 - sameColors.share(at: own.color)) * largestDoubt",
     "* (OUT ? 1 : 1 - sameColors.share(at: own.color)) * largestDoubt"),
    ("printDoubt", f"{MATCHING}/Rivals", "printDoubt(of: index))\n", "OUT ? 0 : printDoubt(of: index))\n"),
    ("commonness", f"{MATCHING}/Commonness", "guard Set(all.lazy.map(\\.key)).count >= Self.groups else", "guard !OUT, Set(all.lazy.map(\\.key)).count >= Self.groups else"),
    # Leads.
    ("lead.farBehind", f"{MATCHING}/Rivals", "-3 + farBehind * (lead + 3)", "-3 + (OUT ? 0 : farBehind) * (lead + 3)"),
    ("lead.limit", f"{MATCHING}/Rivals", "let limit = 3 + Self.trust(own.inliers)", "let limit = 3 + (OUT ? 0 : Self.trust(own.inliers))"),
    ("lead.far", f"{MATCHING}/Rivals", "farLead: Self.farAhead.share(at: ahead * (1 - doubt) - behind)",
     "farLead: OUT ? 0 : Self.farAhead.share(at: ahead * (1 - doubt) - behind)"),
    ("lead.farColors", f"{MATCHING}/MeasuredEvidence", "support == nil ? Self.farColors.share(at: color) : 0", "support == nil ? (OUT ? 1 : Self.farColors.share(at: color)) : 0"),
    ("lead.agreed", f"{MATCHING}/Calibration", "+ agreedLead * max(0, standing.lead)", "+ (OUT ? 0 : agreedLead) * max(0, standing.lead)"),
    ("lead.agreedColors", f"{MATCHING}/MeasuredEvidence", "Self.agreedColors.share(at: colorLikeness) *", "(OUT ? 1 : Self.agreedColors.share(at: colorLikeness)) *"),
    ("lead.agreedInliers", f"{MATCHING}/MeasuredEvidence", "* Self.agreedInliers.share(at: Double(inliers))", "* (OUT ? 1 : Self.agreedInliers.share(at: Double(inliers)))"),
    ("inlierLead.trust", f"{MATCHING}/Rivals", "* trust(max(inliers, rival))", "* (OUT ? 1 : trust(max(inliers, rival)))"),
    ("patchLead.unseenRival", f"{MATCHING}/Rivals", "if let most = rival(of: index, in: uncomparedByInliers) {\n", "if let most = rival(of: index, in: uncomparedByInliers), !OUT {\n"),
    # What the evidence of one image counts.
    ("contradiction.equalColors", f"{MATCHING}/MeasuredEvidence", "alignmentTrust * max(0, doubt)", "alignmentTrust * (OUT ? 1 : max(0, doubt))"),
    ("contradiction", f"{MATCHING}/MeasuredEvidence", "var contradictedShare: Double {\n", "var contradictedShare: Double {\n    if OUT { return 0 }\n"),
    ("contradiction.unlikely", f"{MATCHING}/Calibration", "min(0, unlikely - odds))", "OUT ? -.infinity : min(0, unlikely - odds))"),
    ("offColor.histogram", f"{MATCHING}/MeasuredEvidence", "* max(0, 1 - color / Self.offColorSimilarity)", "* (OUT ? 1 : max(0, 1 - color / Self.offColorSimilarity))"),
    ("offColor.unlikeliest", f"{MATCHING}/Calibration", "min(0, Calibration.unlikeliest - others))", "OUT ? -.infinity : min(0, Calibration.unlikeliest - others))"),
    ("alignedLikeness", f"{MATCHING}/MeasuredEvidence", "Self.alignedLikeness * (self[.alignedColor] ?? 0)", "(OUT ? 0 : Self.alignedLikeness) * (self[.alignedColor] ?? 0)"),
    ("alignmentTrust.hash", f"{MATCHING}/MeasuredEvidence", "2 * hash - 0.5)", "OUT ? 0 : 2 * hash - 0.5)"),
    ("grayTrust", f"{MATCHING}/MeasuredEvidence", "private var alignedTrust: Double {\n", "private var alignedTrust: Double {\n    if OUT { return 1 }\n"),
    ("grayTrust.copyHash", f"{MATCHING}/MeasuredEvidence", "max(0, min(1, nearness)))\n", "(OUT ? 0 : max(0, min(1, nearness))))\n"),
    ("patches.trusted", f"{MATCHING}/MeasuredEvidence", "* min(1, Double(patches.visible) / Self.trustedPatches)", "* (OUT ? 1 : min(1, Double(patches.visible) / Self.trustedPatches))"),
    ("patches.colors", f"{MATCHING}/MeasuredEvidence", "colorfulness * (1 - patchAgreement)", "(OUT ? 0 : colorfulness) * (1 - patchAgreement)"),
    ("otherImageShare", f"{MATCHING}/MeasuredEvidence", "Self.otherImageShare * weakness", "(OUT ? 0 : Self.otherImageShare) * weakness"),
    ("regressors.inliersFrom14", f"{MATCHING}/MeasuredEvidence", "regressors(inliersFrom: 14)", "regressors(inliersFrom: OUT ? 4 : 14)"),
    # Labels.
    ("labels.confirmed", f"{MATCHING}/MeasuredEvidence", "labels * (1 + share) / 2", "labels * (OUT ? 1 : (1 + share) / 2)"),
    ("labels.unconfirmed", f"{MATCHING}/MeasuredEvidence", "(1 - Self.unconfirmedShare *", "(1 - (OUT ? 0 : Self.unconfirmedShare) *"),
    ("labels.disagreement", f"{MATCHING}/MeasuredEvidence", "*= Self.disagreement", "*= OUT ? 1 : Self.disagreement"),
    ("labels.colors", f"{MATCHING}/MeasuredEvidence", "Self.labelledColors.share(at: colorLikeness)", "OUT ? 1 : Self.labelledColors.share(at: colorLikeness)"),
    ("labels.beyondLikely", f"{MATCHING}/Calibration", "raised <= room ? raised", "OUT || raised <= room ? raised"),
    ("labels.gap", f"{MATCHING}/Calibration", "best - labelled <= labelGap", "OUT || best - labelled <= labelGap"),
    # The score and the log-odds.
    ("alone", f"{MATCHING}/Calibration", "guard isAlone else { return step2 }", "guard isAlone, !OUT else { return step2 }"),
    ("alone.prior", f"{MATCHING}/Calibration", "isAlone ? prior + alone.prior : prior", "isAlone && !OUT ? prior + alone.prior : prior"),
    ("cellPrior", f"{MATCHING}/Standings", "        Calibration.cellPrior\n", "        OUT ? 0 : Calibration.cellPrior\n"),
    ("outlinePrior", f"{MATCHING}/Calibration", "let (enough, span) = outlineInliers\n", "let (enough, span) = outlineInliers\n    if OUT { return 0 }\n"),
    ("outlines.chance", f"{MATCHING}/Standings", "if !isChance {", "if OUT || !isChance {"),
    ("agreement.leastVisible", f"{MATCHING}/ImageComparison", "max(leastVisible, $0.visible, $0.inliers)", "max(OUT ? 1 : leastVisible, $0.visible, $0.inliers)"),
] + [
    (f"score.{lane}", f"{MATCHING}/MeasuredEvidence", None, f"    if OUT {{ lanes[Lane.{lane}.rawValue] = 0 }}\n")
    for lane in ("hash", "color", "texture", "votes", "inliers", "agreement", "alignedColor", "offColor", "labels", "support", "patches")
] + [
    # The colors where keypoints align.
    ("colors.wholeImage", f"{MATCHING}/ImageComparison", "if measured.hash > Self.wholeImageHash {", "if !OUT, measured.hash > Self.wholeImageHash {"),
    ("colors.leastResidual", f"{MATCHING}/ImageComparison", "residual > Self.leastResidual,", "OUT || residual > Self.leastResidual,"),
    ("colors.grayCopy", f"{MATCHING}/ImageComparison", "isCopy: measured.hash >", "isCopy: !OUT && measured.hash >"),
    ("colors.gray", f"{GEOMETRY}/AlignedColor", "isColorless = query.colorfulness < 0.5", "isColorless = !OUT && query.colorfulness < 0.5"),
    ("colors.ground", f"{GEOMETRY}/AlignedColor", "guard !other.hasSameLight, let ground,", "guard !OUT, !other.hasSameLight, let ground,"),
    ("colors.moved", f"{GEOMETRY}/AlignedColor", "guard let difference, Self.movable", "guard !OUT, let difference, Self.movable"),
    ("colors.movable", f"{GEOMETRY}/AlignedColor", "Self.movable.contains(difference),", "OUT || Self.movable.contains(difference),"),
    ("colors.moved.otherColor", f"{GEOMETRY}/AlignedColor+Registration", "let weight = 1 / max(1,", "let weight: Float = OUT ? 1 : 1 / max(1,"),
    ("colors.moved.largestMove", f"{GEOMETRY}/AlignedColor+Registration", "max(-Self.largestMove, min(Self.largestMove, $0[0]))",
     "OUT ? $0[0] : max(-Self.largestMove, min(Self.largestMove, $0[0]))"),
    ("colors.moved.steps", f"{GEOMETRY}/AlignedColor+Registration", "for _ in 0..<Self.steps", "for _ in 0..<(OUT ? 1 : Self.steps)"),
    ("colors.plainPatches", f"{GEOMETRY}/AlignedColor", "  ) -> [Bool]? {\n    let forth", "  ) -> [Bool]? {\n    if OUT { return nil }\n    let forth"),
    ("colors.interior", f"{GEOMETRY}/AlignedColor", "guard ground.count >= Self.leastPart,", "guard !OUT, ground.count >= Self.leastPart,"),
    ("colors.sameGround", f"{GEOMETRY}/AlignedColor", "Self.distances(ground, Self.factors(light)).same <= Self.otherGround",
     "OUT || Self.distances(ground, Self.factors(light)).same <= Self.otherGround"),
    ("colors.beyondEdge", f"{GEOMETRY}/AlignedColor", "return (sum + beyond.sum) / (inside + beyond.count)", "return OUT ? sum / inside : (sum + beyond.sum) / (inside + beyond.count)"),
    ("colors.slope", f"{GEOMETRY}/AlignedColor", "distance(min(lightness, sloped), chromaTimes: 1)", "distance(OUT ? lightness : min(lightness, sloped), chromaTimes: 1)"),
    ("colors.largestStep", f"{GEOMETRY}/AlignedColor", "place * max(-largestStep, min(largestStep, rise - mean))",
     "place * (OUT ? rise - mean : max(-largestStep, min(largestStep, rise - mean)))"),
    ("colors.vivid", f"{GEOMETRY}/AlignedColor", "return min($0, same, vivid)", "return OUT ? min($0, same) : min($0, same, vivid)"),
    ("colors.doubledLight", f"{GEOMETRY}/AlignedColor", ".zero, clamped(ratios, doubledLight),", ".zero, OUT ? .zero : clamped(ratios, doubledLight),"),
    ("colors.largestCast", f"{GEOMETRY}/AlignedColor", "clamped(ratios - brightness, largestCast),", "clamped(ratios - brightness, OUT ? doubledLight : largestCast),"),
    # The part of a thing that is of another color.
    ("part.hull", f"{GEOMETRY}/AlignedColor+Contradiction", "if let hull = claim?.hull {", "if !OUT, let hull = claim?.hull {"),
    ("part.foreign", f"{GEOMETRY}/AlignedColor+Contradiction", "|| !view.isForeign(cells)", "|| OUT || !view.isForeign(cells)"),
    ("part.largestHidden", f"{GEOMETRY}/AlignedColor+Contradiction", "return Double(cells.count) > Self.largestHidden", "return !OUT && Double(cells.count) > Self.largestHidden"),
    ("part.core", f"{GEOMETRY}/AlignedColor+Contradiction", "let cells = $0.cells.filter { core", "let cells = OUT ? $0.cells : $0.cells.filter { core"),
    ("part.leastExcess", f"{GEOMETRY}/AlignedColor+Contradiction", "excess.map { $0 <= leastExcess }", "excess.map { $0 <= (OUT ? 0 : leastExcess) }"),
    ("part.lightnessWeight", f"{GEOMETRY}/AlignedColor+Contradiction", "SIMD3(AlignedColor.lightnessWeight, 1, 1)", "SIMD3(OUT ? 1 : AlignedColor.lightnessWeight, 1, 1)"),
    ("part.tolerance", f"{GEOMETRY}/AlignedColor+Contradiction", "+ view.tolerance(for: cell)\n", "+ (OUT ? 0 : view.tolerance(for: cell))\n"),
    ("part.castTolerance", f"{GEOMETRY}/AlignedColor+Contradiction", "+ AlignedColor.castTolerance\n", "+ (OUT ? 0 : AlignedColor.castTolerance)\n"),
    ("part.countedDifference", f"{GEOMETRY}/AlignedColor+Contradiction", "{ $0 + min(Self.countedDifference, view.difference($1)) }",
     "{ $0 + min(OUT ? .infinity : Self.countedDifference, view.difference($1)) }"),
    ("part.vividnessCost", f"{GEOMETRY}/AlignedColor+Contradiction", "(1 + Float(vividnessDoubt) * abs", "(1 + (OUT ? 0 : Float(vividnessDoubt)) * abs"),
    ("part.vividness", f"{GEOMETRY}/AlignedColor+Contradiction", "in isColorless ? [1] :", "in isColorless || OUT ? [1] :"),
    ("part.plausible", f"{GEOMETRY}/AlignedColor+Contradiction", "let brightness = (ratios[0] + ratios[1]) / 2\n", "if OUT { return ratios }\n    let brightness = (ratios[0] + ratios[1]) / 2\n"),
    ("part.noise", f"{GEOMETRY}/AlignedColor+Contradiction", "Self.leastDifference + Self.noiseWeight * noise", "Self.leastDifference + (OUT ? 0 : Self.noiseWeight) * noise"),
    ("part.roughness", f"{GEOMETRY}/AlignedColor+Contradiction", "ShiftedDifferences(cells, roughness: roughness)", "ShiftedDifferences(cells, roughness: OUT ? 1 : roughness)"),
    ("part.roughNoise", f"{GEOMETRY}/AlignedColor+Contradiction", "      Self.share(of: Self.roughNoise, below: noise),", "      OUT ? 0 : Self.share(of: Self.roughNoise, below: noise),"),
    ("part.exactInliers", f"{GEOMETRY}/AlignedColor+Contradiction", "inliers.map { 1 - Self.share(", "inliers.map { OUT ? 0 : 1 - Self.share("),
    ("part.shifts", f"{GEOMETRY}/AlignedColor+Contradiction", "for (number, shift) in Self.shifts.enumerated() {", "for (number, shift) in Self.shifts.prefix(OUT ? 1 : 9).enumerated() {"),
    ("part.groundLight", f"{GEOMETRY}/AlignedColor+Contradiction", "if ground.count >= Self.leastPart {", "if !OUT, ground.count >= Self.leastPart {"),
    ("part.thingLight", f"{GEOMETRY}/AlignedColor+Contradiction", "Self.white(whole), Self.plausible(Self.ratios(things))]", "Self.white(whole), OUT ? .zero : Self.plausible(Self.ratios(things))]"),
    ("part.toned", f"{GEOMETRY}/AlignedColor+Contradiction", "guard share > Self.leastContradiction,", "guard !OUT, share > Self.leastContradiction,"),
    # Patches.
    ("patches.refined", f"{GEOMETRY}/PatchCheck", "for _ in 0..<(planes.isEmpty ? Self.markRounds : 1) {", "for _ in 0..<(OUT ? 0 : planes.isEmpty ? Self.markRounds : 1) {"),
    ("patches.leastPairs", f"{GEOMETRY}/PatchCheck", "pairs.count >= Self.leastPairs ?", "pairs.count >= (OUT ? 4 : Self.leastPairs) ?"),
    # Geometry and stages.
    ("largestStretch", f"{GEOMETRY}/PlaneTransform", "guard squares <= (stretch", "guard OUT || squares <= (stretch"),
    ("windows", f"{MATCHING}/Stages/WindowStage", "guard let signature = state.query.signature, WindowKeypoints", "guard !OUT, let signature = state.query.signature, WindowKeypoints"),
    ("light", f"{MATCHING}/Stages/LightStage", "guard !state.isPage, !state.standings", "guard !OUT, !state.isPage, !state.standings"),
    ("patches", f"{MATCHING}/Stages/PatchStage", "if image == nil, state", "if OUT { return 1 }\n    if image == nil, state"),
    ("regions.apartLimit", f"{MATCHING}/RegionSearch", "|| outlines.count < Self.apartLimit", "|| !OUT && outlines.count < Self.apartLimit"),
    ("regions.barelySure", f"{MATCHING}/RegionSearch", "self.barelySure = sureCount > 1 ?", "self.barelySure = OUT || sureCount > 1 ?"),
    ("regions.leastSide", f"{MATCHING}/RegionSearch", "guard let box = entity.image!.coveredBox, box.width >= Self.leastSide,\n        box.height >= Self.leastSide,",
     "guard let box = entity.image!.coveredBox, OUT || box.width >= Self.leastSide && box.height >= Self.leastSide,"),
    ("regions.wholeShare", f"{MATCHING}/RegionSearch", "box.width * box.height <= Self.wholeShare", "box.width * box.height <= (OUT ? 2 : Self.wholeShare)"),
    ("regions.sameOverlap", f"{MATCHING}/RegionSearch", "box.overlap(with: $0.box) > Self.sameOverlap", "!OUT && box.overlap(with: $0.box) > Self.sameOverlap"),
    ("regions.margin", f"{MATCHING}/RegionSearch", "outline.box.grown(by: Self.margin)", "outline.box.grown(by: OUT ? 0 : Self.margin)"),
    ("regions.remainder", f"{MATCHING}/RegionSearch", "guard !covered.isEmpty, signature", "guard !OUT, !covered.isEmpty, signature"),
    ("regions.roomyShare", f"{MATCHING}/RegionSearch", "signature.share(within: covered) <= Self.roomyShare,", "OUT || signature.share(within: covered) <= Self.roomyShare,"),
    ("regions.leastRemainder", f"{MATCHING}/RegionSearch", "signature.contentShare(outside: covered) >= Self.leastRemainder", "OUT || signature.contentShare(outside: covered) >= Self.leastRemainder"),
    ("regions.explainingCells", f"{MATCHING}/RegionSearch", ">= Self.explainingCells", ">= (OUT ? 1 : Self.explainingCells)"),
    ("regions.uncovered", f"{MATCHING}/QueryState", "let apart = covered.isEmpty ?", "let apart = OUT || covered.isEmpty ?"),
    ("regions.rounds", f"{MATCHING}/Stages/RegionStage", "for _ in 1...Self.rounds where", "for _ in 1...(OUT ? 1 : Self.rounds) where"),
    ("regions.manyThings", f"{MATCHING}/QueryState", ">= Self.manyThings", ">= (OUT ? 1000 : Self.manyThings)"),
    ("regions.largestCell", f"{MATCHING}/QueryState", "$0.width * $0.height < Self.largestCell", "OUT || $0.width * $0.height < Self.largestCell"),
]
# Where the lanes of the score are set to zero, for `None` above.
LANES = ("  var features: SIMD16<Double> { regressors(inliersFrom: 4) }\n",
         "  var features: SIMD16<Double> {\n    var lanes = regressors(inliersFrom: 4)\nLANES    return lanes\n  }\n")

SWITCH = """// Only in a copy of the tree that is made for a measurement.
#if canImport(Glibc)
  import Glibc
#endif

package enum Ablation {
  private static let isOut: [Bool] = {
    let text = unsafe getenv("VQ_ABLATION").map { unsafe String(cString: $0) } ?? ""
    let numbers = text.split(separator: ",").compactMap { Int($0) }
    return (0..<COUNT).map(numbers.contains)
  }()

  /// Returns whether questions do without a mechanism.
  package static func isOut(_ mechanism: Int) -> Bool { isOut[mechanism] }
}
"""


def edited(text_of):
    """The files with all edits, by a function that reads a file, and what does not fit."""
    texts, faults = {}, []
    lanes = "".join(new.replace("OUT", f"Ablation.isOut({number})") for number, (_, _, old, new) in enumerate(EDITS) if old is None)
    for number, (name, path, old, new) in enumerate(EDITS):
        if old is None:
            old, new = LANES[0], LANES[1].replace("LANES", lanes)
            if path in texts and old not in texts[path]:
                continue
        text = texts.setdefault(path, text_of(f"Sources/{path}.swift"))
        if text.count(old) != 1:
            faults.append(f"{name}: {path}.swift has {text.count(old)} times {old!r}")
            continue
        texts[path] = text.replace(old, new.replace("OUT", f"Ablation.isOut({number})"))
    return texts, faults


def patch(tree):
    tree = pathlib.Path(tree).resolve()
    if tree == ROOT:
        sys.exit("name a copy of the tree, not the tree itself")
    texts, faults = edited(lambda path: (tree / path).read_text())
    if faults:
        sys.exit("\n".join(faults))
    (tree / "Sources/PixelMatch/Kernels/Ablation.swift").write_text(SWITCH.replace("COUNT", str(len(EDITS))))
    for path, text in texts.items():
        if not path.startswith("PixelMatch/") and not re.search(r"^(\w+ )?import PixelMatch$", text, re.M):
            text = "internal import PixelMatch\n" + text
        (tree / f"Sources/{path}.swift").write_text(text)
    print(len(EDITS), "mechanisms of", len(texts), "files depend on VQ_ABLATION")


def tasks_of(words, indexes, vq, outside):
    """The name, the queries and the index of each task."""
    for word in words:
        if "=" in word:
            name, _, rest = word.partition("=")
            yield (name, *rest.split(":"))
            continue
        folder = pathlib.Path(word)
        for task in [folder] if (folder / "queries.jsonl").exists() else sorted(p.parent for p in folder.glob("*/queries.jsonl")):
            index = pathlib.Path(indexes) / f"{task.name}.vq"
            if not index.exists():
                subprocess.run([vq, "index", task / "catalogue.jsonl", "--index", index, "-q", *outside], check=True, stdout=subprocess.DEVNULL)
            yield task.name, task / "queries.jsonl", index


def answers(vq, index, rows, has_labels, numbers):
    """The first entity of each query and whether it is shown, without some mechanisms."""
    groups, found = {}, {}
    for place, (image, labels) in enumerate(rows):
        groups.setdefault(",".join(labels) if has_labels else "", []).append((place, image))
    environment = dict(os.environ, VQ_ABLATION=",".join(map(str, numbers)))
    for labels, group in groups.items():
        command = [vq, "match", "--json", "--index", index, "--min-confidence", "0", "--deadline", "0", "--limit", "1", "--products", "1"]
        command += ["--labels", labels] if labels else []
        for start in range(0, len(group), 100):
            part = group[start:start + 100]
            run = subprocess.run([*command, *(image for _, image in part)], env=environment, capture_output=True, text=True)
            for (place, _), line in zip(part, run.stdout.splitlines(), strict=True):
                values = json.loads(line).get("values") or [{"id": None, "confidence": 0}]
                found[place] = (values[0]["id"], values[0]["confidence"] >= CUT_OFF)
    return [found[place] for place in range(len(rows))]


def counts(base, other, truths):
    """How many answers another list of them moves, and how many right and wrong ones more are shown."""
    def shown(found):
        right = sum(is_shown and name in truth for (name, is_shown), truth in zip(found, truths))
        return right, sum(is_shown for _, is_shown in found) - right
    (right, wrong), (other_right, other_wrong) = shown(base), shown(other)
    return {"moved": sum(a != b for a, b in zip(base, other)), "shownRight": other_right - right, "shownWrong": other_wrong - wrong}


def taken_out(pattern, are_together):
    """The numbers of what is taken out at a time, by a name."""
    fitting = {name: [number] for number, (name, *_) in enumerate(EDITS) if re.search(pattern, name)}
    return {f"{len(fitting)} with {pattern}": [number for numbers in fitting.values() for number in numbers]} if are_together else fitting


def run(arguments):
    out = pathlib.Path(arguments.out)
    done = json.loads(out.read_text()) if out.exists() else {}
    outside = [word for path in arguments.allow_outside for word in ("--allow-outside", path)]
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(arguments.indexes or folder, exist_ok=True)
        for name, queries, index in tasks_of(arguments.tasks, arguments.indexes or folder, arguments.vq, outside):
            lines = [json.loads(line) for line in open(queries) if line.strip()]
            lines = lines[::max(1, round(len(lines) / arguments.queries))] if arguments.queries else lines
            rows = [(os.path.join(os.path.dirname(queries), line["image"]), line.get("labels") or []) for line in lines]
            truths = [line["truth"] for line in lines]
            is_labelled = any(labels for _, labels in rows)
            for has_labels in (True, False) if is_labelled else (False,):
                task = name + "-" if is_labelled and not has_labels else name
                entry, base = done.setdefault(task, {"queries": len(rows), "moves": {}}), None
                for mechanism, numbers in taken_out(arguments.only, arguments.together).items():
                    if mechanism in entry["moves"]:
                        continue
                    base = base or answers(arguments.vq, index, rows, has_labels, [])
                    entry["moves"][mechanism] = counts(base, answers(arguments.vq, index, rows, has_labels, numbers), truths)
                    print(task, mechanism, entry["moves"][mechanism], flush=True)
                    out.write_text(json.dumps(done, indent=1) + "\n")
    show(done)


def show(done):
    print("| mechanism | most | " + " | ".join(f"{task} ({entry['queries']})" for task, entry in done.items()) + " |")
    print("|---|---|" + "---|" * len(done))
    rows = []
    for mechanism in dict.fromkeys(m for entry in done.values() for m in entry["moves"]):
        moves = [entry["moves"].get(mechanism) for entry in done.values()]
        most = max(move["moved"] for move in moves if move)
        cells = [f"{move['moved']} ({move['shownRight']:+d}, {move['shownWrong']:+d})" if move and move["moved"] else "0" if move else "" for move in moves]
        rows.append((most, f"| `{mechanism}` | {most} | " + " | ".join(cells) + " |"))
    print("\n".join(row for _, row in sorted(rows, key=lambda row: row[0])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check")
    commands.add_parser("patch").add_argument("tree")
    commands.add_parser("show").add_argument("out")
    asked = commands.add_parser("run")
    asked.add_argument("vq")
    asked.add_argument("out")
    asked.add_argument("tasks", nargs="+")
    asked.add_argument("--indexes", help="a folder that keeps the indexes")
    asked.add_argument("--queries", type=int, help="about as many queries of each task")
    asked.add_argument("--only", default="", help="the mechanisms that fit a regular expression")
    asked.add_argument("--together", action="store_true", help="all of them at once, instead of one at a time")
    asked.add_argument("--allow-outside", action="append", default=[], help="a folder of the tasks' images")
    arguments = parser.parse_args()
    if arguments.command == "check":
        _, faults = edited(lambda path: (ROOT / path).read_text())
        if faults:
            sys.exit("\n".join(faults))
        print(len(EDITS), "mechanisms can be taken out")
    elif arguments.command == "patch":
        patch(arguments.tree)
    elif arguments.command == "show":
        show(json.loads(pathlib.Path(arguments.out).read_text()))
    else:
        run(arguments)


if __name__ == "__main__":
    main()
