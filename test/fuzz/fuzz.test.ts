// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkInput } from './check-input.ts'
import { readCorpus } from './corpus.ts'
import { FuzzServer } from './fuzz-server.ts'
import { fuzz, TARGETS } from './fuzzing.ts'
import { TARGET_NAMES } from './target-names.ts'

const RUNS_MIN = 10

suite('the corpus: each input is understood or refused by name, and the server goes on', () => {
  for (const [file, entries] of readCorpus()) {
    test(file, async (t) => {
      const server = await FuzzServer.start()
      t.after(() => server.close())
      assert.ok(entries.length > 20)
      for (const { name, input } of entries) {
        await checkInput(server, input).catch((cause) => {
          throw new Error(`${name}: ${cause}`, { cause })
        })
      }
      await server.assertAlive()
    })
  }
})

suite('whatever is sent or stored, it is understood or refused by name, and the server goes on', () => {
  for (const target of TARGET_NAMES) {
    const { share } = TARGETS[target]
    test(target, async () => {
      const seed = Math.floor(Math.random() * 2 ** 31)
      const { failure } = await fuzz(target, { runs: RUNS_MIN * share, seed })
      if (failure !== undefined) assert.fail(failure)
    })
  }
})
