// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOUNDS } from './bounds.ts'
import { CountedServer } from './counted-server.ts'
import { type JourneyName, prepareJourneys } from './journeys.ts'

test('what one request runs through keeps to its bounds', async (t) => {
  const server = await CountedServer.start(t)
  const journeys = await prepareJourneys(server.url)
  for (const [name, [functionsMax, callsMax]] of Object.entries(BOUNDS)) {
    const { functions, calls } = await server.journeyOf(journeys[name as JourneyName])
    await t.test(
      `${name}: ${functions} functions of ${functionsMax}, ${calls} calls of ${callsMax}`,
      () => {
        const advice = `npm run test:journey -- --list ${name} shows them; test/journey/bounds.ts has the bounds`
        assert.ok(functions > 5, 'it is counted')
        assert.ok(functions <= functionsMax && calls <= callsMax, advice)
      },
    )
  }
})
