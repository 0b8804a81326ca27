// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser } from '../../parser/parser.ts'
import { ScriptNote } from './script-note.ts'

test('a long note is parsed over several turns, as the script itself is', async () => {
  let pauses = 0
  const turns = {
    isDue: true,
    pause: async () => {
      pauses += 1
    },
  }
  const sql = 'SHOW TABLES;'.repeat(1_000)
  const note = await ScriptNote.of(createParser(), { sql }, turns as never)
  const place = { before: 0, done: 1, total: 1, length: 1, checksum: '' }
  assert.equal(note.at(place).length, 1_000)
  assert.ok(pauses > 5, `${pauses}`)
})
