// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { otherRuntimes } from '../../tools/other-runtimes.ts'
import { scriptFlags } from '../../tools/script-flags.ts'

const HELP = `npm run test:packages

The packages as strangers get them: packed, installed into an empty folder, and used there on the oldest version of
Node.js that they are promised for; the client on Deno, on Bun and with React 18 and 19 as well. npm test does the same
with the client on the Node.js of this project. The drill of docs/standby.md is done with the server's package, and each app
of percolite init is made and opened in Chromium. The container is built and started, or where there is no engine for
it, its steps are taken. Its dependencies, Deno and Bun (94 MB, which npm keeps in its cache) come from the registry that npm is configured with;
where Deno or Bun cannot be had they are skipped, but with CI=true that is a failure.`

scriptFlags(HELP, {})
const [oldest] = otherRuntimes()
const files = [
  'client-package.system.test.ts',
  'client-runtimes.ts',
  'server-package.ts',
  'first-minutes.ts',
  'init.ts',
  'container.ts',
  'standby-drill.ts',
]
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=1',
    '--test-timeout=240000',
    '--test-reporter=spec',
    ...files.map((name) => fileURLToPath(new URL(name, import.meta.url))),
  ],
  {
    env: { ...process.env, PACKAGE_TEST_NODE: oldest?.node ?? process.execPath },
    stdio: 'inherit',
  },
)
process.exitCode = status ?? 1
