#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0

// What `npx percolite` starts, compiled. It is plain JavaScript that an older Node.js understands as well, because
// there the program itself would end without a word that helps.

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `percolite: it needs Node.js 24.12 or later, and this is ${process.version}. See https://nodejs.org\n`,
  )
  process.exit(2)
}

// A server keeps what a request needs in the young generation of a larger heap (docs/performance.md). Node.js takes
// these flags at its start only, so the process is replaced: it stays one, with its id and its signals.
const HEAP = [
  '--max-semi-space-size=32',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
]
const [, script, command] = process.argv
const isServer = command === 'serve' || command === 'demo'
if (isServer && !process.execArgv.includes(HEAP[0]) && process.platform !== 'win32') {
  const args = [process.execPath, ...process.execArgv, ...HEAP, script, ...process.argv.slice(2)]
  process.execve(process.execPath, args)
}

const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('./cli.ts')
