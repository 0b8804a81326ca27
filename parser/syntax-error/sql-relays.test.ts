// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser, ParseError } from '../parser.ts'

const parser = createParser({ skipValidations: false })

const RELAY =
  "commits are sent to a URL by a relay: CREATE RELAY name ON TABLES table, … TO 'https://…'"

for (const [text, hint] of [
  ['RESUME RELAY r FROM SNAPSHOT', 'that is an ALTER: ALTER RELAY r RESUME FROM SNAPSHOT'],
  ['PAUSE OBSERVER o', 'that is an ALTER: ALTER OBSERVER o PAUSE'],
  ['SHOW RELAY r', 'relays are shown by: SHOW RELAYS'],
  ['CREATE WEBHOOK w', RELAY],
] as const) {
  test(`${text}: ${hint}`, () => {
    const isHinted = (error: unknown) => error instanceof ParseError && error.hint === hint
    assert.throws(() => parser.parseScript(text), isHinted)
  })
}
