// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser } from '../../../parser/parser.ts'
import { ScriptNote } from './script-note.ts'

test('a note of too many statements is refused, and parsed over several turns before, as the script itself is', async () => {
  let pauses = 0
  const turns = {
    isDue: true,
    pause: async () => {
      pauses += 1
    },
  }
  const sql = 'SHOW TABLES;'.repeat(1_000)
  await assert.rejects(ScriptNote.of(createParser(), { sql }, turns as never), {
    code: 'limit_exceeded',
    fields: { limit: 'scriptNoteStatementsMax', limitValue: 10, actual: 1_000 },
  })
  assert.ok(pauses > 5, `${pauses}`)
})
