#!/usr/bin/env bash
# The alerts and the board of Packaging/monitoring, with a real Prometheus: VQ=PROGRAM run.sh
set -euo pipefail
cd "$(dirname "$0")/../../.."
.ci/install prometheus
promtool check rules Packaging/monitoring/alerts.yml
(cd Packaging/monitoring && promtool check config prometheus.yml > /dev/null)
promtool test rules Tests/System/monitoring/alerts-test.yml
Tests/System/monitoring/live.py "$VQ"
