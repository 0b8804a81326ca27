// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Terminal } from '../../test/cli/terminal.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { BACKSLASH_COMMANDS } from './commands/all-commands.ts'

const PAGE = readFileSync(new URL('../../docs/shell.md', import.meta.url), 'utf8')
const PROMPT = /^(percolite[*!]?> | +\.\.\.> )(.*)$/

/** Times, addresses and versions are different each time. */
function comparable(text: string): string {
  return text
    .replaceAll(/\d+\.\d ms/g, '<time>')
    .replace(/^percolite \S+ at \S+\./m, 'percolite <version> at <url>.')
    .trim()
}

test('the transcript of docs/shell.md is what a shell at a terminal shows', async (t) => {
  const [, block = ''] = /```console\n\$ percolite shell\n([\s\S]*?)```/.exec(PAGE) ?? []
  const typed = block.split('\n').flatMap((line) => {
    const [, prompt, text] = PROMPT.exec(line) ?? []
    return prompt === undefined || text === undefined ? [] : [{ prompt, text }]
  })
  assert.ok(typed.length > 10)
  const { url } = await (await startTestServer(t)).listen()
  const terminal = new Terminal(['shell', url, '--no-history', '--no-color'])
  for (const { prompt, text } of typed) {
    await terminal.until(prompt)
    terminal.type(`${text}\n`)
  }
  assert.equal(await terminal.code, 0)
  assert.equal(comparable(terminal.text), comparable(block))
})

test('docs/shell.md has every command of the shell, in the words of its help', () => {
  const documented = PAGE.split('\n').flatMap((line) => {
    const [, call, help] = /^\| `(\\.*?)` \| (.*) \|$/.exec(line) ?? []
    return call === undefined ? [] : [[call.replaceAll('\\|', '|'), help]]
  })
  const known = BACKSLASH_COMMANDS.map(({ name, usage, help }) => [
    `${name} ${usage}`.trimEnd(),
    help,
  ])
  assert.deepEqual(documented, known)
})
