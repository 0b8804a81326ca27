#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an npm script runs: installs what is missing first, and then becomes `node` with these words. It is the `node`
# that was installed, which npm puts first in the path; no process stands between npm and it, so signals reach it.
set -e
node tools/ensure-deps.mjs
# Not the `node` that has just run: the shell remembers where it found that.
hash -r
exec node "$@"
