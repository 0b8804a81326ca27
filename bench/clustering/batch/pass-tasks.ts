// SPDX-License-Identifier: Apache-2.0
import { parentPort } from 'node:worker_threads'
import { HttpClient } from '../../load/http-client.ts'
import { encodeRecord, RecordFile, RecordWriter } from './record-file.ts'

/** Documents of one answer of the server. */
const PAGE_ROWS = 2_000

/** What one worker does at a time; paths are of files of records. */
export type PassTask =
  /** The first map: the documents of the store from id `from` to before `end`, at a snapshot, by the hash of key 1. */
  | {
      readonly kind: 'read'
      readonly origin: string
      readonly asOf: number
      readonly from: number
      readonly end: number
      readonly carriesPayload: boolean
      readonly pieces: readonly string[]
    }
  /** A later map: what a pass has made, by the hash of the key of the next one. */
  | {
      readonly kind: 'partition'
      readonly pass: number
      readonly input: string
      readonly pieces: readonly string[]
    }
  /** A reduce: of the pieces of one partition, each representative follows the earliest with its key. */
  | {
      readonly kind: 'group'
      readonly pass: number
      readonly pieces: readonly string[]
      readonly output: string
    }
  /** What the last pass has made, without keys and payloads. */
  | { readonly kind: 'outcome'; readonly input: string }

/** Of 'outcome' id, what it follows and what the store knows, three numbers of each document; of others nothing. */
export type PassAnswer = Float64Array<ArrayBuffer> | undefined

async function doPassTask(task: PassTask): Promise<PassAnswer> {
  switch (task.kind) {
    case 'read':
      return await read(task)
    case 'partition':
      return partition(task)
    case 'group':
      return group(task)
    case 'outcome':
      return outcomeOf(task)
  }
}

export type WorkerAnswer = { readonly answer: PassAnswer } | { readonly failure: string }

// This is the program of a worker of the passes: it does the tasks that it is sent, one at a time.
parentPort?.on('message', (task: PassTask) => {
  doPassTask(task).then(
    (answer) => {
      const transferred = answer === undefined ? [] : [answer.buffer]
      parentPort?.postMessage({ answer } satisfies WorkerAnswer, transferred)
    },
    (error: unknown) => {
      const failure = error instanceof Error ? String(error.stack) : String(error)
      parentPort?.postMessage({ failure } satisfies WorkerAnswer)
    },
  )
})

type Row = {
  readonly id: number
  readonly k1: number
  readonly k2: number
  readonly k3: number
  readonly cluster: number | null
  readonly payload?: string
}

async function read(task: PassTask & { readonly kind: 'read' }): Promise<undefined> {
  const { origin, asOf, from, end, carriesPayload, pieces } = task
  const client = new HttpClient(origin, 1)
  const writers = pieces.map((path) => new RecordWriter(path))
  const columns = `id, k1, k2, k3, cluster${carriesPayload ? ', payload' : ''}`
  const sql = `SCAN ${columns} FROM docs WHERE id >= $1 AND id < $2`
  const request = { sql, params: [from, end], pageSize: PAGE_ROWS, asOf }
  try {
    let pending: { readonly text: Promise<string> } = ask(undefined)
    for (;;) {
      const page = JSON.parse(await pending.text) as Page
      const { cursor } = page
      // The next page is on its way while this one is written.
      if (cursor !== undefined) pending = ask(cursor)
      for (const { id, k1, k2, k3, cluster, payload = '' } of page.results[0]?.rows ?? []) {
        const keys = [k1, k2, k3]
        const record = encodeRecord({ id, keys, known: cluster ?? undefined, payload })
        writers[slotOf(k1, pieces.length)]?.write(record)
      }
      if (cursor === undefined) break
    }
  } finally {
    client.close()
    for (const writer of writers) writer.close({ durably: false })
  }

  function ask(cursor: string | undefined): { readonly text: Promise<string> } {
    const { asOf: _, ...continued } = request
    const body = cursor === undefined ? request : { ...continued, cursor }
    return { text: client.ask('/v1/query', JSON.stringify(body)) }
  }
}

type Page = {
  readonly results: ReadonlyArray<{ readonly rows: readonly Row[] }>
  readonly cursor?: string
}

function partition({ pass, input, pieces }: PassTask & { readonly kind: 'partition' }): undefined {
  const writers = pieces.map((path) => new RecordWriter(path))
  const file = new RecordFile(input)
  for (const at of file.places()) {
    writers[slotOf(file.key(at, pass), pieces.length)]?.write(file.bytes(at))
  }
  for (const writer of writers) writer.close({ durably: false })
}

function group({ pass, pieces, output }: PassTask & { readonly kind: 'group' }): undefined {
  const files = pieces.map((path) => new RecordFile(path))
  const earliest = new Map<number, number>()
  for (const [file, at] of representatives()) {
    const [key, id] = [file.key(at, pass), file.id(at)]
    const known = earliest.get(key)
    if (known === undefined || id < known) earliest.set(key, id)
  }
  for (const [file, at] of representatives()) {
    const first = earliest.get(file.key(at, pass)) as number
    if (first !== file.id(at)) file.follow(at, first)
  }
  const writer = new RecordWriter(output)
  for (const file of files) {
    for (const at of file.places()) writer.write(file.bytes(at))
  }
  writer.close({ durably: true })

  function* representatives(): Iterable<readonly [RecordFile, number]> {
    for (const file of files) {
      for (const at of file.places()) if (file.follows(at) === undefined) yield [file, at]
    }
  }
}

function outcomeOf({ input }: PassTask & { readonly kind: 'outcome' }) {
  const file = new RecordFile(input)
  const places = [...file.places()]
  const outcome = new Float64Array(3 * places.length)
  for (const [position, at] of places.entries()) {
    outcome.set([file.id(at), file.follows(at) ?? -1, file.known(at) ?? -1], 3 * position)
  }
  return outcome
}

/** Numbers of keys may be close to each other. */
function slotOf(key: number, slots: number): number {
  const mixed = Math.imul((key % 2 ** 32) ^ Math.floor(key / 2 ** 32), 0x9e3779b1)
  return (mixed >>> 8) % slots
}
