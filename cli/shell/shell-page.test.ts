// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { percolite } from '../../test/cli/percolite.ts'
import { Terminal } from '../../test/cli/terminal.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { testFolder } from '../../test/test-folder.ts'
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
  const [, sql = '', name = ''] = /```sql\n(-- (\S+)\n[\s\S]*?)```/.exec(PAGE) ?? []
  const folder = await testFolder(t, 'shell-page')
  await writeFile(join(folder, name), sql)
  const { url } = await (await startTestServer(t)).listen()
  const terminal = new Terminal(['shell', url, '--no-history', '--no-color'])
  for (const { prompt, text } of typed) {
    await terminal.until(prompt)
    terminal.type(`${text.replace(name, join(folder, name))}\n`)
  }
  assert.equal(await terminal.code, 0)
  assert.equal(comparable(terminal.text.replaceAll(`${folder}/`, '')), comparable(block))
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

test('the error in docs/shell.md is what \\i shows of the file that is there, with a column misspelt', async (t) => {
  const [, sql = ''] = /```sql\n(-- savings[\s\S]*?)```/.exec(PAGE) ?? []
  const [, shown] = /```\n(savings\.sql:[\s\S]*?)```/.exec(PAGE) ?? []
  const path = join(await testFolder(t, 'shell-page'), 'savings.sql')
  await writeFile(path, sql.replace('balance = balance + 2', 'blance = balance + 2'))
  const { url } = await (await startTestServer(t)).listen()
  const { errors } = await percolite(['shell', url], {}, `\\i ${path}`)
  assert.equal(errors.replaceAll(path, 'savings.sql').split('line 1:')[0], shown)
})
