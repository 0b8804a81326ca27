// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))

/** The command line, in a shell that sends its output elsewhere. */
function run(line: string) {
  const script = `"$0" "$1" ${line}`
  const ended = spawnSync('sh', ['-c', script, process.execPath, MAIN], { encoding: 'utf8' })
  return { code: ended.status, errors: ended.stderr }
}

const skip = existsSync('/dev/full') ? false : 'there is no /dev/full'

test('an output that has no room ends a command with 1 and one line', { skip }, () => {
  const { code, errors } = run('--help > /dev/full')
  assert.equal(code, 1)
  assert.match(errors, /^percolite: the output cannot be written: ENOSPC.*\n$/)
})

test('an output that nobody reads any more ends it without a word', () => {
  assert.deepEqual(run('--help | true'), { code: 0, errors: '' })
})

test('errors that cannot be written do not change the exit code', { skip }, () => {
  assert.deepEqual(run('no-such-command 2> /dev/full'), { code: 2, errors: '' })
})
