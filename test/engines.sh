#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the tests of the engines over the network need from Debian's packages: etcd, and Go with the sources of
# an emulator of Bigtable. Google's own emulator is used where it is installed; it is not in Debian's archive.
set -euo pipefail

missing=()
command -v etcd >/dev/null || missing+=(etcd-server)
command -v go >/dev/null || missing+=(golang-go)
[ -d /usr/share/gocode/src/cloud.google.com/go/bigtable/bttest ] || missing+=(golang-google-cloud-dev)

if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Missing: ${missing[*]}. Run this as root on a Debian system, or install them as your system does." >&2
    exit 1
  fi
  echo "Installing ${missing[*]} ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  if service etcd status >/dev/null 2>&1; then service etcd stop >/dev/null 2>&1 || true; fi
fi
etcd --version | sed -n 1p
go version
