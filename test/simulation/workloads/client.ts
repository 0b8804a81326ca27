// SPDX-License-Identifier: Apache-2.0
import { CellStoreError, StorageError } from '../../../storage/storage.ts'
import type { SeededRandomness } from '../../seeded-randomness.ts'
import type { CommitLog } from '../checkers/commit-log.ts'
import type { History, RecordedTransaction } from '../checkers/history.ts'
import type { Violations } from '../checkers/violations.ts'
import type { FaultMenu } from '../simulated/faults.ts'
import type { Gateway } from '../simulated/gateway.ts'
import type { Scheduler } from '../simulated/scheduler.ts'
import { ProcessCrashed } from '../simulated/simulated-process.ts'
import type { Counters } from '../sometimes.ts'
import type { Swarm, Workload } from '../swarm.ts'
import { ClientTransaction } from './client-transaction.ts'
import type { Work } from './work.ts'
import { drawWorkload, TRANSACTIONS } from './workloads.ts'

export type ClientWorld = {
  readonly scheduler: Scheduler
  readonly random: SeededRandomness
  readonly swarm: Swarm
  readonly faults: FaultMenu
  readonly gateways: readonly Gateway[]
  readonly history: History
  readonly log: CommitLog
  readonly counters: Counters
  readonly violations: Violations
}

/** One client: a transaction after the other, each on some gateway, until enough have been begun. */
export async function runClient(world: ClientWorld, client: number): Promise<void> {
  const { history, swarm, scheduler, random } = world
  while (history.transactions.length < swarm.transactions) {
    await scheduler.sleep(thinkMs(world))
    const gateway = pickGateway(world, client)
    if (gateway === undefined) await scheduler.sleep(100)
    else {
      const workload = drawWorkload(random, swarm)
      await runTransaction(world, { client, gateway, workload, run: TRANSACTIONS[workload] })
    }
  }
}

/** Begins, works, commits, and finds out what became of it. */
export async function runTransaction(
  world: ClientWorld,
  task: {
    readonly client: number
    readonly gateway: Gateway
    readonly workload: Workload
    readonly run: (work: Work) => Promise<void> | void
    readonly isSetup?: boolean
  },
): Promise<RecordedTransaction> {
  const { history, counters, violations } = world
  const recorded = history.begin(task.workload, task.client)
  let transaction: ClientTransaction | undefined
  try {
    transaction = await begin(world, task.gateway, recorded, task.isSetup === true)
    const { random, swarm } = world
    const think = () => pause(world, recorded)
    await task.run({ transaction, random, swarm, counters, violations, think })
    await think()
    if (random.fraction() < 0.03 && task.isSetup !== true) {
      transaction.rollback()
      recorded.outcome = 'rolledBack'
      return recorded
    }
    recorded.commitTs = await transaction.commit()
    recorded.outcome = 'committed'
    if (recorded.commitTs !== null) {
      history.acknowledged(recorded.commitTs)
      counters.count('commit acknowledged')
    }
  } catch (error) {
    failed(world, recorded, error)
    transaction?.rollback()
  }
  await askForOutcome(world, recorded)
  return recorded
}

async function begin(
  { random, history, swarm, counters }: ClientWorld,
  gateway: Gateway,
  recorded: RecordedTransaction,
  isSetup: boolean,
): Promise<ClientTransaction> {
  const past = history.transactions[random.below(history.transactions.length)]
  const asOf = !isSetup && random.fraction() < 0.06 ? past?.startTs : undefined
  recorded.isAsOf = asOf !== undefined
  recorded.readOnly = recorded.isAsOf || (!isSetup && random.fraction() < 0.08)
  recorded.keepsOutcome = random.fraction() < swarm.keepsOutcomeRate
  const transaction = await gateway.request(async (storage) =>
    storage.begin({
      readOnly: recorded.readOnly,
      keepsOutcome: recorded.keepsOutcome,
      ...(asOf === undefined ? {} : { asOf }),
    }),
  )
  recorded.process = gateway.process.name
  recorded.id = transaction.id
  recorded.startTs = transaction.startTs
  if (recorded.isAsOf) counters.count('snapshot of the past read')
  else history.begun(transaction.startTs)
  return new ClientTransaction(gateway, transaction, recorded)
}

/** What the client knows after an error. Anything that is no expected error is a violation. */
function failed(
  { counters, violations, log }: ClientWorld,
  recorded: RecordedTransaction,
  error: unknown,
): void {
  if (error instanceof ProcessCrashed) {
    recorded.outcome = recorded.commitWasSent ? 'lost' : 'rolledBack'
    return
  }
  recorded.outcome = 'rolledBack'
  // The store failed in a read; a commit never says so.
  if (error instanceof CellStoreError && !recorded.commitWasSent) return
  if (!(error instanceof StorageError)) {
    recorded.outcome = 'unknown'
    violations.add('unexpected error', `${recorded}: ${String(error)}`)
    return
  }
  if (error.code === 'commit_outcome_unknown') recorded.outcome = 'unknown'
  const expected = nameOfRefusal(error, recorded)
  if (expected === undefined) {
    violations.add('unexpected error', `${recorded}: ${error.code} ${error.message}`)
    return
  }
  counters.count(expected)
  if (error.code !== 'write_conflict') return
  const { conflictingTimestamp } = error.fields
  const isWritten = [...log.commitTs.values()].some((one) => one === conflictingTimestamp)
  counters.count(`conflict with a ${isWritten ? 'version' : 'transaction under way'}`)
}

/** Undefined where nothing that is simulated can explain the error. */
function nameOfRefusal(
  { code, cause }: StorageError,
  { commitWasSent }: RecordedTransaction,
): string | undefined {
  switch (code) {
    case 'commit_outcome_unknown':
      return 'commit outcome unknown'
    case 'snapshot_too_old':
      return `snapshot_too_old at a ${commitWasSent ? 'commit' : 'read'}`
    case 'write_conflict':
      return 'commit conflicted'
    case 'schema_changed':
      return 'schema_changed at a commit'
    case 'closed':
      return 'request met a store that is being closed'
    case 'locked':
      return 'read waited too long for a lock'
    case 'transaction_rolled_back':
      if (!commitWasSent) return undefined
      return cause instanceof CellStoreError
        ? 'commit refused by the disk'
        : 'living transaction rolled back by a stranger'
    default:
      return undefined
  }
}

/** Asks any gateway by the transaction's id, until it knows; now and then also where the client knows. */
async function askForOutcome(world: ClientWorld, recorded: RecordedTransaction): Promise<void> {
  const { random, scheduler } = world
  if (!recorded.keepsOutcome || !recorded.writesValues || recorded.readOnly) return
  const isInDoubt = recorded.outcome === 'unknown' || recorded.outcome === 'lost'
  if (!isInDoubt && random.fraction() < 0.9) return
  for (let attempt = 0; attempt < QUESTIONS_MAX; attempt += 1) {
    await scheduler.sleep(random.fraction() * 3_000)
    await askOnce(world, recorded)
    if (recorded.settled !== undefined) return
  }
}

/** One question to one gateway; an answer that differs from an earlier one is a violation. */
export async function askOnce(world: ClientWorld, recorded: RecordedTransaction): Promise<void> {
  const { swarm, counters, violations } = world
  const gateway = pickGateway(world, recorded.client + 1)
  const { id } = recorded
  if (gateway === undefined || id === undefined) return
  try {
    const answer = await gateway.request((storage) => storage.outcomeOf(id, swarm.openMsMax))
    counters.count(`outcome asked: ${answer.kind}`)
    if (swarm.topology === 'embedded') await checkDefinite(world, gateway, recorded, answer.kind)
    if (answer.kind === 'active' || answer.kind === 'unknown') return
    if (answer.kind === 'neverBegun') {
      violations.add('outcome', `${recorded} was begun, and is said not to have been`)
    }
    const commitTs = answer.kind === 'committed' ? { commitTs: answer.commitTs } : {}
    const before = recorded.settled
    recorded.settled = { kind: answer.kind, ...commitTs }
    if (before !== undefined && before.kind !== answer.kind) {
      violations.add('outcome', `${recorded} was ${before.kind}, and then ${answer.kind}`)
    }
  } catch (error) {
    const isClosed = error instanceof StorageError && error.code === 'closed'
    const isExpected =
      error instanceof ProcessCrashed || error instanceof CellStoreError || isClosed
    if (!isExpected) violations.add('unexpected error', `outcome of ${recorded}: ${error}`)
  }
}

/**
 * The only owner of a store knows what is open. After a restart every outcome is definite, unless the
 * history that would tell has been collected.
 */
async function checkDefinite(
  { violations }: ClientWorld,
  gateway: Gateway,
  recorded: RecordedTransaction,
  answer: string,
): Promise<void> {
  const { startTs = 0 } = recorded
  if (answer === 'active' && recorded.process !== gateway.process.name) {
    violations.add('outcome', `${recorded} is said to be active after its process has ended`)
  }
  if (answer !== 'unknown') return
  const { safePoint } = await gateway.request(async (storage) => {
    // The status says what the process knows, and a new snapshot has it know the newest.
    const newest = await storage.begin({ readOnly: true })
    newest.rollback()
    return storage.status()
  })
  if (safePoint <= startTs) {
    violations.add('outcome', `${recorded} is said to be unknown; the safe point is ${safePoint}`)
  }
}

/** Passes time; meanwhile somebody else may ask whether the transaction still lives. */
async function pause(world: ClientWorld, recorded: RecordedTransaction): Promise<void> {
  const { scheduler, random, faults } = world
  await scheduler.sleep(faults.forgottenMs() ?? thinkMs(world))
  if (recorded.keepsOutcome && !recorded.readOnly && random.fraction() < 0.02) {
    await askOnce(world, recorded)
  }
}

function pickGateway({ gateways, random }: ClientWorld, client: number): Gateway | undefined {
  const serving = gateways.filter((gateway) => gateway.isServing)
  const home = gateways[client % gateways.length]
  if (home?.isServing && random.fraction() < 0.6) return home
  return serving[random.below(serving.length)]
}

function thinkMs({ swarm, random }: ClientWorld): number {
  return swarm.thinkMs * random.fraction() * 2
}

const QUESTIONS_MAX = 6
