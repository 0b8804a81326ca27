// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { PLANNER_LIMITS, WorkMeter } from '../../planner/planner.ts'
import { Chooser } from '../differential/random/random-table.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { SqlSession } from '../sql-session.ts'
import { HOSTILE_TABLES, type HostileStatement, HostileStatements } from './hostile-statement.ts'

// Replay one with `WORK_SEED=<seed> WORK_STATEMENTS=1 node --test test/work/statement-work.test.ts`.

const SEED = Number(process.env.WORK_SEED ?? Math.floor(Math.random() * 2 ** 31))
const STATEMENTS = Number(process.env.WORK_STATEMENTS ?? 20)

const { rowWorkMax, workLookUnits, workTurnUnits, concatenationBytesMax } = PLANNER_LIMITS

/** What the engine does in one piece is paid for with one sum: two texts that are joined, a JSON that is parsed. */
const ONE_PIECE_MAX = 4 * concatenationBytesMax

/** The most that a statement spent without looking at its deadline, on a row, and without giving up its turn. */
class WatchedMeter extends WorkMeter {
  readonly most = { betweenLooks: 0, ofRow: 0, betweenTurns: 0 }
  #at = { look: 0, row: 0, turn: 0 }

  constructor(look: () => void) {
    super(() => {
      this.#passed('betweenLooks', 'look')
      look()
    })
  }

  override beginRow(...position: Parameters<WorkMeter['beginRow']>): void {
    this.#passed('ofRow', 'row')
    super.beginRow(...position)
  }

  override turnTaken(): void {
    this.#passed('betweenTurns', 'turn')
    super.turnTaken()
  }

  #passed(figure: keyof WatchedMeter['most'], mark: 'look' | 'row' | 'turn'): void {
    this.most[figure] = Math.max(this.most[figure], this.spent - this.#at[mark])
    this.#at[mark] = this.spent
  }
}

/** A statement ends after so many looks, as it would at a deadline: each is a million units and some milliseconds. */
const LOOKS_MAX = 200

class TimeIsOver extends Error {}

async function run(session: SqlSession, { text, parameters }: HostileStatement) {
  let looks = 0
  const work = new WatchedMeter(() => {
    looks += 1
    if (looks > LOOKS_MAX) throw new TimeIsOver()
  })
  const transaction = await session.storage.begin()
  let outcome = 'done'
  try {
    const catalog = await session.storage.catalog(transaction)
    const page = { rows: 1_000, bytes: 16 * 1024 * 1024 }
    const answerBytes = { used: 0, max: 64 * 1024 * 1024 }
    const options = { parameters, work, page, answerBytes }
    await session.runIn(transaction, catalog, text, options)
  } catch (error) {
    outcome = error instanceof TimeIsOver ? 'deadline' : `${(error as { code?: unknown }).code}`
    // Whatever a statement is refused for, it is its own mistake and not the planner's.
    if (outcome === 'undefined') throw error
  } finally {
    transaction.rollback()
  }
  return { outcome, looks, most: work.most }
}

test('no statement works for long without a look at its deadline, on a row, or without a pause', async (t) => {
  const session = await SqlSession.open(...HOSTILE_TABLES)
  t.after(() => session.close())
  const outcomes: Record<string, number> = {}
  for (let seed = SEED; seed < SEED + STATEMENTS; seed += 1) {
    const statement = new HostileStatements(new Chooser(new SeededRandomness(seed))).next()
    const shown = `WORK_SEED=${seed} ${statement.text.slice(0, 500)}`
    const { outcome, looks, most } = await run(session, statement).catch((error) => {
      throw new Error(shown, { cause: error })
    })
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    assert.ok(most.betweenLooks <= workLookUnits + ONE_PIECE_MAX, `${most.betweenLooks} ${shown}`)
    assert.ok(most.ofRow <= rowWorkMax + ONE_PIECE_MAX, `${most.ofRow} ${shown}`)
    assert.ok(
      most.betweenTurns <= workTurnUnits + rowWorkMax + ONE_PIECE_MAX,
      `${most.betweenTurns} ${shown}`,
    )
    assert.ok(looks <= LOOKS_MAX + 1, `${looks} looks: ${shown}`)
  }
  t.diagnostic(`from seed ${SEED}: ${JSON.stringify(outcomes)}`)
  if (STATEMENTS >= 60) assert.ok((outcomes.done ?? 0) > STATEMENTS / 20, JSON.stringify(outcomes))
})
