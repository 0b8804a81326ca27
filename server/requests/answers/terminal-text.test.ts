// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'
import { DisplayWidths, MEASURED_CHARACTERS_MAX, terminalText } from './terminal-text.ts'

test('what a terminal obeys, turns or hides is shown as an escape', () => {
  const shown: ReadonlyArray<readonly [string, string]> = [
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['\u009b31m', '\\u009b31m'],
    ['a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['a\u2028b\nc', 'a\\u2028b\\nc'],
    ['\ud800', '\\ud800'],
    ['日本語 é 😀', '日本語 é 😀'],
  ]
  for (const [text, escaped] of shown) assert.equal(terminalText(text), escaped)
})

test('a table is straight with wide, combining and escaped characters', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE word (id INTEGER PRIMARY KEY, w TEXT, "言" TEXT)')
  const rows = ['日本語', 'e\u0301te\u0301', '\u202etxt', 'x'].map((w, id) => ({ id, w, 言: '|' }))
  await server.post('/v1/tables/word/rows', rows)
  const path = '/v1/query?format=table'
  const { text } = await server.send({ method: 'POST', path, json: { sql: 'SCAN * FROM word' } })
  assert.equal(
    text,
    [
      ' id |     w     | 言',
      '----+-----------+----',
      '  0 | 日本語    | |',
      '  1 | e\u0301te\u0301       | |',
      '  2 | \\u202etxt | |',
      '  3 | x         | |',
      '(4 rows)',
      '',
    ].join('\n'),
  )
  const json = { sql: "GET * FROM word WHERE \u001b[31m = '日本語'" }
  const refused = await server.send({ method: 'POST', path, json })
  assert.ok(!refused.text.includes('\u001b'), JSON.stringify(refused.text))
})

test('beyond so many characters widths are no longer looked up', () => {
  const widths = new DisplayWidths()
  assert.equal(
    widths.of('日'.repeat(MEASURED_CHARACTERS_MAX - 1)),
    2 * (MEASURED_CHARACTERS_MAX - 1),
  )
  assert.equal(widths.of('日本'), 2)
  assert.equal(widths.of('ab'), 2)
})
