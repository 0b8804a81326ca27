// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { RESERVED } from '../../console/page/statements/sql-text.ts'

describe('the words that the console quotes as names', () => {
  it('are those that docs/dialect.md says are reserved', () => {
    const page = readFileSync(new URL('../../docs/dialect.md', import.meta.url), 'utf8')
    const [, list = ''] = /These words are reserved.*\n\n((?:> .*\n)+)/.exec(page) ?? []
    const words = list.split(/[>\s]+/).filter((word) => word !== '')
    assert.deepEqual([...RESERVED].toSorted(), words.toSorted())
  })
})
