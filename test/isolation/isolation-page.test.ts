// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { withHistories } from './isolation-page.ts'

test('docs/isolation.md shows the very histories that the suite runs', () => {
  const page = readFileSync(new URL('../../docs/isolation.md', import.meta.url), 'utf8')
  assert.equal(page, withHistories(page), 'run node test/isolation/generate-isolation-page.ts')
})
