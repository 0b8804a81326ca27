// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { SeededRandomness } from '../seeded-randomness.ts'
import { type Attempt, ScheduleWorld } from './schedule-world.ts'

const HOUR = 3_600_000_000
const SEEDS = 5
const STEPS = 80

/**
 * Gateways that are ahead and behind, conflict and die. Each hour has one row by ALL; by LATEST none has two, and the
 * last one has its. Workers delete rows, so that a second one of an hour would be another row.
 */
export async function schedulesInsertEachTimeOnce(): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world = await ScheduleWorld.open()
    await world.run("CREATE SCHEDULE each EVERY '1 hour' RUN report MISSED ALL")
    await world.run("CREATE SCHEDULE latest EVERY '1 hour' RUN report")
    const first = await world.next('each')
    const now = await randomRuns(world, new SeededRandomness(seed), first)
    for (const schedule of ['each', 'latest']) {
      const attempt = await world.begin(0, schedule, now)
      if (attempt !== undefined) assert.ok(await world.commit(attempt))
    }
    const last = Math.floor(now / HOUR) * HOUR
    const hours = Array.from({ length: (last - first) / HOUR + 1 }, (_, at) => first + at * HOUR)
    assert.deepEqual(world.times.get('each'), hours, `seed ${seed}`)
    const latest = world.times.get('latest') ?? []
    assert.deepEqual(latest, [...new Set(latest)].sort(), `seed ${seed}`)
    assert.equal(latest.at(-1), last, `seed ${seed}`)
    await world.close()
  }
}

/** Returns the latest time that any gateway had. */
async function randomRuns(
  world: ScheduleWorld,
  randomness: SeededRandomness,
  first: number,
): Promise<number> {
  const open: Attempt[] = []
  const taken = () => open.splice(randomness.below(open.length), 1)[0] as Attempt
  let now = first
  let newest = first
  for (let step = 0; step < STEPS; step += 1) {
    now += Math.floor((randomness.fraction() - 0.3) * 4 * HOUR)
    newest = Math.max(newest, now)
    const schedule = randomness.below(2) === 0 ? 'each' : 'latest'
    const attempt = await world.begin(randomness.below(2), schedule, now)
    if (attempt !== undefined) open.push(attempt)
    while (open.length > randomness.below(4)) {
      if (randomness.below(5) === 0) taken().transaction.rollback()
      else await world.commit(taken())
    }
    if (randomness.below(4) === 0) await world.run('DELETE FROM job USE PRIMARY KEY')
  }
  for (const { transaction } of open) transaction.rollback()
  return newest
}

/** A gateway is about to insert a row when the schedule is paused, or dropped, at the other one. */
export async function scheduleIsPausedBesideARun(): Promise<void> {
  for (const statement of ['ALTER SCHEDULE each PAUSE', 'DROP SCHEDULE each']) {
    const world = await ScheduleWorld.open()
    await world.run("CREATE SCHEDULE each EVERY '1 hour' RUN report")
    const attempt = await world.begin(1, 'each', await world.next('each'))
    assert.ok(attempt !== undefined)
    await world.run(statement)
    assert.equal(await world.commit(attempt), false, `nothing is inserted after ${statement}`)
    await world.close()
  }
}
