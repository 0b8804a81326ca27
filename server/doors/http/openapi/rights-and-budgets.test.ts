// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { ALL_LIMITS } from '../../../limits.ts'
import { FRAME_DECLARATIONS } from '../../websocket/client-frame.ts'
import { loadContract } from './contract.ts'
import { objectAt, readOpenApiDocument } from './document.ts'
import { BUDGETS, RIGHTS, requireDeclaration } from './rights-and-budgets.ts'

const { document } = loadContract()
const documentOf = (name: string) =>
  readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8')

test('an operation without a right or a budget, or with one that does not exist, stops the start', () => {
  for (const mistake of [
    { 'x-right': 'everything' },
    { 'x-right': undefined },
    { 'x-budget': 'unlimited' },
    { 'x-budget': undefined },
  ]) {
    const json = structuredClone(document.json)
    Object.assign(objectAt(json, '#/paths/~1v1~1query/post'), mistake)
    assert.throws(() => readOpenApiDocument(json), /query has the (right|budget)/)
  }
})

test('a frame without a right or a budget stops the start', () => {
  assert.throws(
    () => requireDeclaration('The frame x', { right: 'read' }),
    /has the budget undefined/,
  )
  assert.throws(
    () => requireDeclaration('The frame x', { budget: 'none' }),
    /has the right undefined/,
  )
})

test('docs/http-api.md lists every right, every budget with its limits, and every operation', () => {
  const text = documentOf('http-api.md')
  for (const [name, meaning] of Object.entries(RIGHTS)) {
    assert.ok(text.includes(`| \`${name}\` | ${meaning} |`), name)
  }
  for (const [name, { meaning, limits }] of Object.entries(BUDGETS)) {
    for (const limit of limits) assert.ok(Object.hasOwn(ALL_LIMITS, limit), limit)
    const listed = limits.map((limit) => `\`${limit}\``).join(', ') || '-'
    assert.ok(text.includes(`| \`${name}\` | ${meaning} | ${listed} |`), name)
  }
  for (const { id, method, path, declaration } of document.operations) {
    const { right, budget } = declaration
    const row = `| \`${id}\` | \`${method.toUpperCase()} ${path}\` | \`${right}\` | \`${budget}\` |`
    assert.ok(text.includes(row), row)
  }
})

test('docs/websocket-protocol.md lists every frame', () => {
  const text = documentOf('websocket-protocol.md')
  for (const [type, { right, budget }] of Object.entries(FRAME_DECLARATIONS)) {
    const row = `| \`${type}\` | \`${right}\` | \`${budget}\` |`
    assert.ok(text.includes(row), `its "Rights and budgets" lack ${row}`)
  }
})
