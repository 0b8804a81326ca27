// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser } from '../parser.ts'

const parser = createParser({ skipValidations: false })

test('a relay has tables, a URL and perhaps a role', () => {
  const [made, plain, shown] = parser.parseScript(`
    CREATE RELAY IF NOT EXISTS shop ON TABLES orders, "order" TO 'https://a.example/it''s' AS ROLE app;
    CREATE RELAY shop ON TABLES now TO 'x'; SHOW RELAYS`)
  assert.ok(made?.kind === 'createRelay' && plain?.kind === 'createRelay')
  const tables = made.tables.map(({ text }) => text)
  assert.deepEqual([made.ifNotExists, made.relay.text, tables], [true, 'shop', ['orders', 'order']])
  assert.deepEqual([made.to.text, made.role?.text], ["https://a.example/it's", 'app'])
  assert.deepEqual([plain.ifNotExists, plain.role], [false, undefined])
  assert.equal(shown?.kind, 'showRelays')
})

test('ALTER and DROP of a relay', () => {
  const statements = parser.parseScript(`
    ALTER RELAY r PAUSE; ALTER RELAY r RESUME; ALTER RELAY r RESUME FROM NOW;
    ALTER RELAY r RESUME FROM SNAPSHOT; ALTER RELAY r ROTATE SECRET;
    ALTER RELAY r ROTATE SECRET KEEP 2 DAYS; DROP RELAY IF EXISTS r`)
  const facts = statements.map(({ position: _, ...statement }) => {
    const {
      relay: __,
      keep,
      ...rest
    } = statement as typeof statement & {
      relay: unknown
      keep?: { ms: bigint }
    }
    return keep === undefined ? rest : { ...rest, keep: keep.ms }
  })
  assert.deepEqual(facts, [
    { kind: 'pauseRelay' },
    { kind: 'resumeRelay' },
    { kind: 'resumeRelay', from: 'now' },
    { kind: 'resumeRelay', from: 'snapshot' },
    { kind: 'rotateRelay' },
    { kind: 'rotateRelay', keep: 172_800_000n },
    { kind: 'dropRelay', ifExists: true },
  ])
})
