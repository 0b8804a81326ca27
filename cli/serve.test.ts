// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { exitCode, run, urlOf } from '../test/cli/run-command.ts'

test('a port that somebody has: one line that names the flag, exit 1', async (t) => {
  const first = run(t, 'serve', '--port', '0', '--engine', 'memory')
  const { port } = new URL(await urlOf(first))
  const second = run(t, 'serve', '--port', port, '--engine', 'memory')
  assert.equal(await exitCode(second), 1)
  assert.equal(
    second.errors(),
    `percolite: Port ${port} of 127.0.0.1 is in use: take another with --port, or see who has it with lsof -i :${port}.\n`,
  )
})

test('its memory is left out of core dumps', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux has such a filter')
  const server = run(t, 'serve', '--engine', 'memory', '--port', '0')
  await urlOf(server)
  const filter = await readFile(`/proc/${server.child.pid}/coredump_filter`, 'utf8')
  assert.equal(Number.parseInt(filter, 16), 0)
})
