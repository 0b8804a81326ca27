// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Explanation } from '../planner/plan/explain.ts'
import type { Parameters } from '../planner/planner.ts'
import { SqlSession } from './sql-session.ts'

/** A session after these statements, whose rows and indexes have to agree at its end. */
export async function openedIndexes(
  t: { after(end: () => Promise<void>): void },
  ...texts: readonly string[]
) {
  const session = await SqlSession.open(...texts)
  t.after(async () => {
    const { problems } = await session.storage.checkConsistency()
    await session.close()
    assert.deepEqual(problems, [])
  })
  /** The first column of the rows. */
  const first = async (text: string, parameters: Parameters = {}) =>
    (await session.run(text, parameters)).rows.map(([value]) => value)
  const explain = async (text: string): Promise<Explanation> =>
    JSON.parse((await session.run(`EXPLAIN ${text}`)).rows[0]?.[1] as string)
  return { session, first, explain }
}
