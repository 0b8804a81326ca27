// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { withOutputs } from './statements-page.ts'

test('docs/forty-statements.md shows what its forty statements answer', async () => {
  const written = readFileSync(new URL('../../docs/forty-statements.md', import.meta.url), 'utf8')
  const { page, statements } = await withOutputs(written)
  assert.equal(statements, 60)
  assert.equal(written, page, 'run node test/forty-statements/generate-statements-page.ts')
})
