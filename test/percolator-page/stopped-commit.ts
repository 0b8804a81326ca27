// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs'
import { answerEach, CellStoreError, type CheckAndMutate } from '../../storage/cells/cell-store.ts'
import { Storage } from '../../storage/database.ts'

/**
 * Preloaded into a server (`node --import`): while the file named by `STOP_COMMIT_FILE` exists, two-phase commits stop
 * where its text says.
 *
 * - `hold`: the commit of a primary does not happen and is never answered;
 * - `primary`: it does not happen, its answer is lost once and then refused, so the coordinator gives up;
 * - `secondaries`: the primary commits, and the commits of the secondaries are refused;
 * - `nowhere`: commits do not stop.
 */
const { STOP_COMMIT_FILE: file = '' } = process.env
const { open } = Storage
/** The steps sent for each transaction, by its start. */
const sent = new Map<number, number>()

Storage.open = async (cellStore, options) => {
  const checkAndMutateRow = cellStore.checkAndMutateRow.bind(cellStore)
  cellStore.checkAndMutateRow = async (row, step) => {
    await stopOrPass(step)
    return await checkAndMutateRow(row, step)
  }
  cellStore.checkAndMutateRows = (steps) =>
    answerEach(steps, (step) => cellStore.checkAndMutateRow(step.row, step))
  return await open.call(Storage, cellStore, options)
}

async function stopOrPass(step: CheckAndMutate): Promise<void> {
  const where = existsSync(file) ? readFileSync(file, 'utf8') : 'nowhere'
  const startTs = startOfCommit(step)
  if (where === 'nowhere' || startTs === undefined) return
  const before = sent.get(startTs) ?? 0
  sent.set(startTs, before + 1)
  if (where === 'hold') await new Promise(() => {})
  if (before > 0) throw new CellStoreError('closed', `The commit was stopped: ${where}.`)
  if (where === 'primary') throw new CellStoreError('ambiguous', 'The answer was lost.')
}

/** The start of the transaction whose lock the step makes a write record; undefined for every other step. */
function startOfCommit({ when, ifMatched }: CheckAndMutate): number | undefined {
  const [first] = ifMatched
  const commits = first?.kind === 'setCell' && first.family === 'write'
  return commits ? when[0]?.timestamps?.from : undefined
}
