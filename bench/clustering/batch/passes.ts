// SPDX-License-Identifier: Apache-2.0
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { HttpClient } from '../../load/http-client.ts'
import { endOf } from '../assignment/oracle.ts'
import type { PassTask } from './pass-tasks.ts'
import type { PassWorkers } from './pass-workers.ts'

export type PassVariant = 'batch-full' | 'batch-lean'

/** Bytes of a partition, of which each worker has one in memory. */
const PARTITION_BYTES = 32 * 1_024 * 1_024
const RECORD_BYTES: Readonly<Record<PassVariant, number>> = {
  'batch-full': 1_100,
  'batch-lean': 52,
}
const PASSES = 3
const ROWS_PER_REQUEST = 1_000
const CONNECTIONS = 2

export type PassRun = {
  readonly seconds: number
  /** Of these until the snapshot was read and partitioned; of these until the clusters were known. */
  readonly readSeconds: number
  readonly passesSeconds: number
  /** Ids that were given a cluster: from `from` to before `end`. */
  readonly from: number
  readonly end: number
  /** When the last of them was committed, in microseconds since 1970. */
  readonly finishedUs: number
  /** Documents whose cluster in the store is another one, which must not be. */
  readonly differing: number
}

export type PassOrder = {
  readonly origin: string
  readonly variant: PassVariant
  /** For the files, on the disk of the store. */
  readonly folder: string
  /** Documents before this one have a cluster. */
  readonly from: number
  readonly workers: PassWorkers
}

/**
 * The three passes over everything that is in the store at this moment (Percolator 3.1): each reads all records,
 * partitions them into files by the hash of its key, groups them, and writes them again. In the end every pointer is
 * followed, and the clusters of documents that had none are written to the store.
 */
export async function runPasses(order: PassOrder): Promise<PassRun> {
  const { origin, folder, from } = order
  const startedMs = performance.now()
  const since = () => (performance.now() - startedMs) / 1_000
  const client = new HttpClient(origin, CONNECTIONS)
  await mkdir(folder, { recursive: true })
  try {
    const { asOf, end } = await snapshotOf(client)
    const partitions = partitionsOf(order, end)
    await readStore(order, { asOf, end, partitions })
    const readSeconds = since()
    for (let pass = 0; pass < PASSES; pass += 1) await runPass(order, pass, partitions)
    const found = await followAll(order, partitions)
    const passesSeconds = since()
    await publish(client, found.unknown)
    const finishedUs = Date.now() * 1_000
    const { differing } = found
    return { seconds: since(), readSeconds, passesSeconds, from, end, finishedUs, differing }
  } finally {
    client.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function snapshotOf(
  client: HttpClient,
): Promise<{ readonly asOf: number; readonly end: number }> {
  const sql = 'SCAN id FROM docs ORDER BY id DESC LIMIT 1'
  const answer = JSON.parse(await client.ask('/v1/query', JSON.stringify({ sql })))
  return { asOf: answer.readTimestamp, end: answer.results[0].rows[0].id + 1 }
}

/** Each worker has several, so that none waits for the last one. */
function partitionsOf({ variant, workers }: PassOrder, documents: number): number {
  const bySize = Math.ceil((documents * RECORD_BYTES[variant]) / PARTITION_BYTES)
  return Math.max(2 * workers.count, bySize)
}

type Sizes = { readonly asOf: number; readonly end: number; readonly partitions: number }

async function readStore(order: PassOrder, { asOf, end, partitions }: Sizes): Promise<void> {
  const { origin, workers, variant } = order
  const bound = (split: number) => Math.floor((end * split) / partitions)
  const tasks = numbers(partitions).map(
    (split): PassTask => ({
      ...{ kind: 'read', origin, asOf, carriesPayload: variant === 'batch-full' },
      ...{ from: bound(split), end: bound(split + 1) },
      pieces: numbers(partitions).map((slot) => pieceOf(order, 0, split, slot)),
    }),
  )
  await workers.doAll(tasks)
}

async function runPass(order: PassOrder, pass: number, partitions: number): Promise<void> {
  const { workers } = order
  if (pass > 0) {
    const maps = numbers(partitions).map(
      (split): PassTask => ({
        ...{ kind: 'partition', pass, input: outputOf(order, pass - 1, split) },
        pieces: numbers(partitions).map((slot) => pieceOf(order, pass, split, slot)),
      }),
    )
    await workers.doAll(maps)
    await removeAll(numbers(partitions).map((split) => outputOf(order, pass - 1, split)))
  }
  const pieces = numbers(partitions).map((slot) => {
    return numbers(partitions).map((split) => pieceOf(order, pass, split, slot))
  })
  const reduces = pieces.map(
    (ofSlot, slot): PassTask => ({
      ...{ kind: 'group', pass, pieces: ofSlot, output: outputOf(order, pass, slot) },
    }),
  )
  await workers.doAll(reduces)
  await removeAll(pieces.flat())
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path)
}

/** The clusters of the documents that have none in the store, ascending by id. */
async function followAll(order: PassOrder, partitions: number) {
  const tasks = numbers(partitions).map(
    (slot): PassTask => ({ kind: 'outcome', input: outputOf(order, PASSES - 1, slot) }),
  )
  const follows = new Map<number, number>()
  const known = new Map<number, number | undefined>()
  for (const outcome of await order.workers.doAll(tasks)) {
    if (outcome === undefined) continue
    for (let at = 0; at < outcome.length; at += 3) {
      const [id = 0, followed = -1, cluster = -1] = outcome.subarray(at, at + 3)
      if (followed !== -1) follows.set(id, followed)
      known.set(id, cluster === -1 ? undefined : cluster)
    }
  }
  const unknown: { readonly id: number; readonly cluster: number }[] = []
  let differing = 0
  for (const [id, before] of known) {
    const cluster = endOf(follows, id)
    if (before === undefined) unknown.push({ id, cluster })
    else if (before !== cluster) differing += 1
  }
  return { unknown: unknown.sort((a, b) => a.id - b.id), differing }
}

async function publish(
  client: HttpClient,
  clusters: readonly { readonly id: number; readonly cluster: number }[],
): Promise<void> {
  const sql = 'SET cluster = $1 ON docs WHERE id = $2'
  const requests: string[] = []
  for (let at = 0; at < clusters.length; at += ROWS_PER_REQUEST) {
    const some = clusters.slice(at, at + ROWS_PER_REQUEST)
    const statements = some.map(({ id, cluster }) => ({ sql, params: [cluster, id] }))
    requests.push(JSON.stringify({ statements }))
  }
  const waiting = requests.values()
  const send = async () => {
    for (const body of waiting) await client.ask('/v1/query', body)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
}

function pieceOf({ folder }: PassOrder, pass: number, split: number, slot: number): string {
  return join(folder, `pass-${pass}-${split}-to-${slot}`)
}

function outputOf({ folder }: PassOrder, pass: number, slot: number): string {
  return join(folder, `pass-${pass}-made-${slot}`)
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number)
}
