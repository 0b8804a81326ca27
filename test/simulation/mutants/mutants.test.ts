// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { hunt, runScript } from './hunt.ts'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'
import { editedSource } from './plant-mutant.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

const ROOT = new URL('../../../', import.meta.url)
/** Those that random runs catch within so many seeds are quick. */
const QUICK_SEEDS_MAX = 20

/** Those of the scripts, and of the quick ones the first for each kind of runs; `npm run test:mutants` hunts all. */
function caughtHere(): Mutant[] {
  const kinds = new Set<string>()
  return MUTANTS.filter(({ caughtBy }) => {
    if ('script' in caughtBy) return true
    const { seedsMax, ...kind } = caughtBy
    const name = JSON.stringify(kind)
    if (seedsMax > QUICK_SEEDS_MAX || kinds.has(name)) return false
    kinds.add(name)
    return true
  })
}

describe('every planted bug', () => {
  for (const mutant of MUTANTS) {
    test(`${mutant.name}: its snippets are in the source`, () => {
      for (const { file } of mutant.edits) {
        const text = readFileSync(new URL(file, ROOT), 'utf8')
        assert.notEqual(editedSource(text, mutant, file), text)
      }
    })
  }

  test('a snippet that is not there is refused loudly', () => {
    const [mutant] = MUTANTS
    assert.ok(mutant !== undefined)
    const file = mutant.edits[0]?.file ?? ''
    assert.throws(() => editedSource('nothing of it', mutant, file), /0 times instead of 1/)
  })
})

describe('every script holds with the code as it is', () => {
  for (const script of Object.keys(SCRIPTS) as ScriptName[]) {
    test(script, async () => assert.equal(await runScript(script), null))
  }
})

// Two at a time: they come last, when the other core has nothing else to do.
describe('a planted bug is caught', { concurrency: 2 }, () => {
  for (const mutant of caughtHere()) {
    test(`${mutant.name}: ${mutant.what}`, async () => {
      const found = await hunt(mutant, 1)
      assert.ok(found !== undefined, `${mutant.name} was not caught`)
    })
  }
})
