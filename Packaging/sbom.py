#!/usr/bin/env python3
"""The bill of materials of a Debian package, as SPDX 2.3: sbom.py PACKAGE > vq.spdx.json

It names the package with its checksum, what it depends on and recommends by the versions of this system, on which it was built, and the toolchain whose
libraries are linked in. Needs dpkg. Standard library only.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def element(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name, version, license="NOASSERTION", **others):
    return {"SPDXID": element(name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": license, "licenseDeclared": license, "copyrightText": "NOASSERTION", **others}


def main():
    path = sys.argv[1]
    fields = {name: output("dpkg-deb", "--field", path, name) for name in ("Package", "Version", "Architecture", "Depends", "Recommends")}
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    own = package(
        fields["Package"], fields["Version"], "Apache-2.0", primaryPackagePurpose="APPLICATION", packageFileName=os.path.basename(path),
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                       "referenceLocator": f"pkg:deb/debian/{fields['Package']}@{fields['Version']}?arch={fields['Architecture']}"}])
    packages, relations = [own], []

    def relate(kind, other):
        relations.append({"spdxElementId": own["SPDXID"], "relationshipType": kind, "relatedSpdxElement": element(other)})

    for field, kind in (("Depends", "DEPENDS_ON"), ("Recommends", "OPTIONAL_DEPENDENCY_OF")):
        for clause in filter(None, re.split(r",\s*", fields[field])):
            name = re.split(r"[\s(|:]", clause.strip())[0]
            version = output("dpkg-query", "--show", "--showformat=${Version}", name)
            packages.append(package(name, version or "NOASSERTION"))
            if kind == "DEPENDS_ON":
                relate(kind, name)
            else:
                relations.append({"spdxElementId": element(name), "relationshipType": kind, "relatedSpdxElement": own["SPDXID"]})
    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))
    # Its libraries are linked into the program.
    packages.append(package("swift", swift.group(1) if swift else "NOASSERTION", "Apache-2.0 WITH Swift-exception"))
    relate("STATIC_LINK", "swift")
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct") or 0)
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": os.path.basename(path),
        "documentNamespace": f"https://visualquery.example/spdx/{os.path.basename(path)}-{digest[:16]}",
        "creationInfo": {"created": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: Packaging/sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}, *relations],
    }, indent=1))


main()
