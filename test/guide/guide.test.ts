// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { guidePages, runPage } from './guide-pages.ts'

describe('the statements and commands of the guide answer what is printed below them', () => {
  for (const [name, path] of guidePages()) {
    test(`docs/${name}`, async () => {
      const { written, run, blocks } = await runPage(path)
      assert.ok(blocks >= 5, 'its blocks are found')
      assert.equal(written, run, 'run node test/guide/generate-guide.ts')
    })
  }
})
