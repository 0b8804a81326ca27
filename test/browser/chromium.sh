#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the browser of the tests of web pages from Debian's packages.
set -euo pipefail

if ! command -v chromium >/dev/null; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Missing: chromium. Run this as root on a Debian system, or install it as your system does." >&2
    exit 1
  fi
  echo "Installing chromium ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
chromium --version
