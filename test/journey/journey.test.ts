// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { BOUNDS } from './bounds.ts'
import { CountedServer } from './counted-server.ts'
import { type JourneyName, prepareJourneys } from './journeys.ts'

const TRIES_MAX = 8

/** The files that architecture.md names on the way of a statement, in its words. */
function filesOfWay(statement: string): readonly string[] {
  const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8')
  const [, block = ''] = page.split(`\`\`\`\n${statement} `, 2)
  return block.split('```', 1)[0]?.match(/\S+\.ts/g) ?? []
}

test('what one request runs through keeps to its bounds', async (t) => {
  const server = await CountedServer.start(t)
  const journeys = await prepareJourneys(server.url)
  const walks = new Map<string, ReadonlySet<string>>()
  for (const [name, [functionsMax, callsMax]] of Object.entries(BOUNDS)) {
    const journey = journeys[name as JourneyName]
    const measured = await server.journeyOf(journey)
    let { functions, calls } = measured
    walks.set(name, new Set([...measured.counts.keys()].map((key) => key.split('#')[0] as string)))
    // On a busy machine each sample may have met something that is not of the request: the smallest counts.
    for (
      let tries = 1;
      tries < TRIES_MAX && (functions > functionsMax || calls > callsMax);
      tries += 1
    ) {
      const again = await server.journeyOf(journey)
      functions = Math.min(functions, again.functions)
      calls = Math.min(calls, again.calls)
    }
    await t.test(
      `${name}: ${functions} functions of ${functionsMax}, ${calls} calls of ${callsMax}`,
      () => {
        const advice = `npm run test:journey -- --list ${name} shows them; test/journey/bounds.ts has the bounds`
        assert.ok(functions > 5, 'it is counted')
        assert.ok(functions <= functionsMax && calls <= callsMax, advice)
      },
    )
  }
  for (const [statement, name] of [
    ['GET', 'get'],
    ['SET', 'blindSet'],
  ] as const) {
    const walked = walks.get(name)
    await t.test(`a ${statement} walks where architecture.md says`, () => {
      const named = filesOfWay(statement)
      assert.ok(named.length > 8, 'the way is found')
      assert.deepEqual(
        named.filter((file) => !walked?.has(file)),
        [],
      )
    })
  }
})
