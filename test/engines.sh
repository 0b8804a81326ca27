#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the tests of the engines over the network need from Debian's packages: etcd, and Go with the sources of
# an emulator of Bigtable; and the balancers of deploy/. Google's own emulator is used where it is installed; it is not
# in Debian's archive.
set -euo pipefail

missing=()
command -v etcd >/dev/null || missing+=(etcd-server)
command -v go >/dev/null || missing+=(golang-go)
[ -d /usr/share/gocode/src/cloud.google.com/go/bigtable/bttest ] || missing+=(golang-google-cloud-dev)
PATH="$PATH:/usr/sbin"
command -v haproxy >/dev/null || missing+=(haproxy)
command -v nginx >/dev/null || missing+=(nginx-light)

if [ "${#missing[@]}" -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Missing: ${missing[*]}. Run this as root on a Debian system, or install them as your system does." >&2
    exit 1
  fi
  echo "Installing ${missing[*]} ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  for one in etcd haproxy nginx; do
    if service "$one" status >/dev/null 2>&1; then service "$one" stop >/dev/null 2>&1 || true; fi
  done
fi
etcd --version | sed -n 1p
go version
# Emulators are built now: the first test that starts one would be charged for that.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sh tools/run.sh -C percolite:source --input-type=module --eval "
  const { EMULATORS } = await import('./bench/engines/emulator.ts')
  for (const kind of EMULATORS) {
    if (kind.missing === undefined) await (await kind.start()).close()
  }
"
