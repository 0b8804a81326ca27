// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { LiveReaders } from '../live/live-readers.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

const HELP = `node test/kill/kill-live.system.test.ts [--cycles 3] [--seed 7]

kill -9 of a server with readers of random live results, who come back with what they have, under commits. Each state of
them has to be the answer as of its timestamp, and the last one that of the end. Fails by its exit code.

  --cycles  how often the server is killed (3), or LIVE_CYCLES in the environment
  --seed    of statements, commits and moments (LIVE_SEED)`

const { values: given } = scriptFlags(HELP, {
  cycles: { type: 'string' },
  seed: { type: 'string' },
})
const CYCLES = Number(given.cycles ?? process.env.LIVE_CYCLES ?? 3)
const SEED = Number(given.seed ?? process.env.LIVE_SEED ?? Date.now() % 1_000_000)
if (!(CYCLES > 0) || !Number.isSafeInteger(SEED)) {
  endMisused(HELP, '--cycles and --seed are numbers.')
}
const READERS = 24
const MODES = ['one-phase', 'two-phase']

test(`live results outlive ${CYCLES} times kill -9 of their server (LIVE_SEED=${SEED})`, {
  timeout: 60_000 + CYCLES * 60_000,
}, async (t) => {
  const dataDirectory = await testFolder(t, 'kill-live')
  const random = new SeededRandomness(SEED)
  const start = () => {
    const mode = MODES[random.below(MODES.length)] as string
    return ServerProcess.start(dataDirectory, ['--commit', mode])
  }
  let server = await start()
  t.after(() => server.killNine())
  const readers = new LiveReaders(random, READERS)
  t.after(() => readers.close())
  await readers.define(server.url)
  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    readers.connect([server.url])
    await readers.begun()
    readers.write([server.url])
    await readers.committed(20 + random.below(100))
    await server.killNine()
    await readers.stop()
    server = await start()
    if (random.below(3) === 0) {
      await server.killNine()
      server = await start()
    }
    // They come back under new commits, of which some are theirs.
    readers.write([server.url])
    await readers.committed(random.below(10))
    readers.connect([server.url])
    await readers.committed(random.below(50))
    await readers.stop()
    await readers.check(server.url)
  }
  t.diagnostic(`${CYCLES} cycles: ${readers.said}`)
  assert.ok(readers.totals.resumed > 0)
  assert.equal(await server.stop(), 0)
})
