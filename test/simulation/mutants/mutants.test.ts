// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { describe, test } from 'node:test'
import { hunt } from './hunt.ts'
import { MUTANTS } from './mutants.ts'
import { editedSource } from './plant-mutant.ts'
import { SCRIPTS } from './scripts.ts'

const ROOT = new URL('../../../', import.meta.url)
/** One for each way in which a bug is caught; `npm run test:mutants` hunts all. */
const HUNTED_HERE = ['noWriteConflictCheck', 'noUnknownRule', 'latchWithoutStamp', 'entryNotPut']

describe('every planted bug', () => {
  for (const mutant of MUTANTS) {
    test(`${mutant.name}: its snippets are in the source, and it can be read`, () => {
      for (const { file } of mutant.edits) {
        const text = readFileSync(new URL(file, ROOT), 'utf8')
        const edited = editedSource(text, mutant, file)
        assert.notEqual(edited, text)
        // Throws for what is no program, such as a wait in a function that cannot wait.
        stripTypeScriptTypes(edited)
      }
    })
  }

  test('the tests that catch one are there', () => {
    for (const { caughtBy } of MUTANTS) {
      if (!('test' in caughtBy)) continue
      const text = readFileSync(new URL(caughtBy.file, ROOT), 'utf8')
      assert.ok(text.includes(`test('${caughtBy.test}'`), `${caughtBy.file}: ${caughtBy.test}`)
    }
  })

  test('a snippet that is not there is refused loudly', () => {
    const [mutant] = MUTANTS
    assert.ok(mutant !== undefined)
    const file = mutant.edits[0]?.file ?? ''
    assert.throws(() => editedSource('nothing of it', mutant, file), /0 times instead of 1/)
  })
})

describe('every script holds with the code as it is', () => {
  for (const [name, script] of Object.entries(SCRIPTS)) test(name, script)
})

describe('a planted bug is caught', () => {
  for (const mutant of MUTANTS.filter(({ name }) => HUNTED_HERE.includes(name))) {
    test(`${mutant.name}: ${mutant.what}`, async () => {
      const found = await hunt(mutant, 1)
      assert.ok(found !== undefined, `${mutant.name} was not caught`)
    })
  }
})
