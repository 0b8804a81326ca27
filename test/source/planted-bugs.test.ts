// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { PLANTED_BUGS } from '../access/planted-bugs.ts'

const ROOT = new URL('../../', import.meta.url)

test('each bug of access control that is planted has its snippet once in the source', () => {
  const lost = PLANTED_BUGS.filter(({ file, find }) => {
    return readFileSync(new URL(file, ROOT), 'utf8').split(find).length !== 2
  })
  assert.deepEqual(
    lost.map(({ name, file }) => `${name}: ${file}`),
    [],
  )
})
