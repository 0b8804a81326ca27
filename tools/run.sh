#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What an npm script runs: installs what is missing first, and then becomes `node` with these words. It is the `node`
# that was installed: npm puts it first in the path, and so does this where another script is what runs it. No process
# stands between npm and it, so signals reach it.
set -e
node tools/ensure-deps.mjs
PATH="$PWD/node_modules/.bin:$PATH"
# Not the `node` that has just run: the shell remembers where it found that.
hash -r
exec node "$@"
