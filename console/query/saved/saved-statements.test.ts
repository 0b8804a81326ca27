// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readSaved, removeStatement, savedAsText, saveStatement } from './saved-statements.ts'

function storage() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
}

it('a text is saved under its name, in place of the one before', () => {
  const place = storage()
  saveStatement(place, { name: ' b ', text: 'GET 1' })
  saveStatement(place, { name: 'a', text: 'SCAN 2;\n' })
  saveStatement(place, { name: 'b', text: 'GET 3' })
  const all = [
    { name: 'a', text: 'SCAN 2;\n' },
    { name: 'b', text: 'GET 3' },
  ]
  assert.deepEqual(readSaved(place), all)
  assert.equal(savedAsText(all), '-- a\nSCAN 2;\n\n-- b\nGET 3;\n')
  assert.equal(savedAsText([{ name: 'x\nDROP TABLE y', text: 'z' }]), '-- x DROP TABLE y\nz;\n')
  assert.deepEqual(removeStatement(place, 'a'), [all[1]])
})

it('what cannot be kept is said', () => {
  const place = storage()
  const problem = (name: string, text: string) => {
    const done = saveStatement(place, { name, text })
    return 'problem' in done ? done.problem : undefined
  }
  assert.match(problem(' ', 'x') ?? '', /needs a name/)
  assert.match(problem('a', ' ') ?? '', /no text/)
  assert.match(problem('a', `-- pct_6eorfekixx_2f`) ?? '', /a token/)
  assert.match(problem('a', 'x'.repeat(20_001)) ?? '', /at most 20,000/)
  assert.match(problem('n'.repeat(101), 'x') ?? '', /at most 100/)
  for (let at = 0; at < 200; at += 1) assert.equal(problem(`${at}`, 'x'), undefined)
  assert.match(problem('one more', 'x') ?? '', /200 already/)
  assert.equal(problem('7', 'another'), undefined, 'one of them is replaced')
  place.setItem = () => {
    throw new Error('QuotaExceededError')
  }
  assert.match(problem('7', 'y') ?? '', /no room/)
  assert.equal(readSaved({ ...place, getItem: () => '{' }).length, 0)
  assert.equal(readSaved({ ...place, getItem: () => '[1, {"name": 2}]' }).length, 0)
})
