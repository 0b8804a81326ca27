// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { endMisused, scriptFlags } from '../../tools/script-flags.ts'
import { KillWatchers, OBSERVERS_FLAGS } from '../feed/kill-watchers.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

const HELP = `node test/kill/kill-observers.system.test.ts [--notifications 1000] [--commit two-phase] [--seed 7]

Nothing but observers and subscribers, until so many notifications were written, with kill -9 every few seconds. Prints
how many were lost or committed twice, and fails by its exit code.

  --notifications  how many (1000), or OBSERVER_NOTIFICATIONS in the environment
  --commit         one-phase, two-phase or auto (OBSERVER_COMMIT)
  --seed           of the random moments (OBSERVER_SEED)`

const { values: given } = scriptFlags(HELP, {
  notifications: { type: 'string' },
  commit: { type: 'string' },
  seed: { type: 'string' },
})
const NOTIFICATIONS = Number(given.notifications ?? process.env.OBSERVER_NOTIFICATIONS ?? 1_000)
const COMMIT = given.commit ?? process.env.OBSERVER_COMMIT ?? 'auto'
const SEED = Number(given.seed ?? process.env.OBSERVER_SEED ?? Date.now() % 1_000_000)
if (!(NOTIFICATIONS > 0) || !Number.isSafeInteger(SEED)) {
  endMisused(HELP, '--notifications and --seed are numbers.')
}
const ALIVE_MS_MAX = NOTIFICATIONS > 5_000 ? 8_000 : 1_500

test(`observers and kill -9: of ${NOTIFICATIONS} notifications none is lost, and none is committed twice (OBSERVER_SEED=${SEED})`, async (t) => {
  const dataDirectory = await testFolder(t, 'observers')
  const random = new SeededRandomness(SEED)
  const flags = ['--commit', COMMIT, ...OBSERVERS_FLAGS]
  let server = await ServerProcess.start(dataDirectory, flags)
  t.after(() => server.killNine())
  const watchers = await KillWatchers.create(t, server.url, random)
  let kills = 0
  while (watchers.totals.notifications < NOTIFICATIONS) {
    watchers.begin()
    await delay(200 + random.below(ALIVE_MS_MAX))
    await server.killNine()
    kills += 1
    await watchers.killed()
    server = await ServerProcess.start(dataDirectory, flags)
    await watchers.check(server.url)
    if (kills % 10 === 0) t.diagnostic(`${kills} kills: ${watchers.said}`)
  }
  assert.equal(await server.stop(), 0)
  assert.deepEqual((await checkDataDirectory(dataDirectory)).problems, [])
  t.diagnostic(`${kills} kills: ${watchers.said}`)
})
