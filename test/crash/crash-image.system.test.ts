// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { openStorage } from '../../storage/storage.ts'
import { scanRows } from '../../storage/tables/tables.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { framesMoved, readWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts'

/**
 * Images of the data directory as a loss of power leaves them: a process that writes is stopped at
 * random instants, its files are copied, and the log of the copy is cut off or spoiled at a random
 * byte. Each image has to open, to be sound, and to hold every transaction whole that was
 * acknowledged before what the image kept of the log. `CRASH_IMAGES` and `CRASH_SEED` change the defaults.
 */
const IMAGES = Number(process.env.CRASH_IMAGES ?? 8)
const SEED = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000)
const WRITER = fileURLToPath(new URL('./ledger-writer.ts', import.meta.url))
const run = promisify(execFile)

/** Where commits are synced, in the tables or in the redo log, and how they commit. */
type CommitPath = readonly ['tables' | 'redo', 'one-phase' | 'two-phase']
const PATHS: readonly CommitPath[] = [
  ['tables', 'one-phase'],
  ['redo', 'one-phase'],
  ['redo', 'two-phase'],
]

type Acknowledged = ReadonlyMap<string, number>

class Writer {
  readonly acknowledged = new Map<string, number>()
  readonly #child: ChildProcess
  #unfinished = ''
  #listener: () => void = () => {}

  constructor(dataDirectory: string, path: CommitPath) {
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    this.#child = spawn(process.execPath, [WRITER, dataDirectory, ...path], { stdio: [...stdio] })
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk))
  }

  /** Stops the process wherever it is; resolves when it stands still. */
  async stop(): Promise<void> {
    this.#child.kill('SIGSTOP')
    for (;;) {
      const { stdout } = await run('ps', ['-o', 'state=', '-p', String(this.#child.pid)])
      if (stdout.startsWith('T')) return
    }
  }

  goOn(): void {
    this.#child.kill('SIGCONT')
  }

  /** Resolves after another commit was acknowledged. */
  async another(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#listener = resolve
    })
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await once(this.#child, 'close')
  }

  #read(chunk: string): void {
    const lines = (this.#unfinished + chunk).split('\n')
    this.#unfinished = lines.pop() ?? ''
    for (const line of lines) {
      const [client = '', number] = line.split(' ')
      this.acknowledged.set(client, Number(number))
    }
    this.#listener()
  }
}

type Image = {
  readonly folder: string
  readonly log: WriteAheadLog | undefined
  /** Below this many bytes the log has been moved into the file, which is done with synced frames only. */
  readonly movedBytes: number
  readonly acknowledged: Acknowledged
}

async function takeImage(from: string, to: string, writer: Writer): Promise<Image> {
  await writer.stop()
  await mkdir(to)
  await copyFile(join(from, 'cells.db'), join(to, 'cells.db'))
  await copyFile(join(from, 'cells.db-wal'), join(to, 'cells.db-wal'))
  const log = readWriteAheadLog(await readFile(join(to, 'cells.db-wal')))
  const moved = framesMoved(await readFile(join(from, 'cells.db-shm')))
  // What was printed before the stop and has not arrived yet is not asked for.
  const acknowledged = new Map(writer.acknowledged)
  writer.goOn()
  return { folder: to, log, movedBytes: 32 + moved * (log?.frameBytes ?? 0), acknowledged }
}

/** What the image holds; fails when a transaction is there partially or one is missing in between. */
async function readLedger(dataDirectory: string): Promise<Acknowledged> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  const transaction = await storage.begin({ readOnly: true })
  const catalog = await storage.catalog(transaction)
  const found = new Map<string, number>()
  const [counter, entry] = ['counter', 'entry'].map((name) => catalog.table(name))
  if (counter !== undefined && entry !== undefined) {
    const counters = await Array.fromAsync(scanRows(transaction, counter, {}))
    for (const { row } of counters) found.set(String(row[0]), Number(row[1]))
    const entries = new Map<string, number>()
    for await (const { row } of scanRows(transaction, entry, {})) {
      const client = String(row[0])
      const number = (entries.get(client) ?? 0) + 1
      assert.equal(Number(row[1]), number, `${client} lacks ${number}`)
      entries.set(client, number)
    }
    assert.deepEqual(entries, found, 'counters and rows were written together')
  }
  transaction.rollback()
  await storage.close()
  return found
}

async function assertHolds(folder: string, expected: Acknowledged, what: string): Promise<void> {
  const { problems } = await checkDataDirectory(folder)
  assert.deepEqual(problems, [], what)
  const found = await readLedger(folder)
  for (const [client, number] of expected) {
    const there = found.get(client) ?? 0
    assert.ok(there >= number, `${what}: ${client} has ${there} of ${number}`)
  }
  assert.deepEqual((await checkDataDirectory(folder)).problems, [], `${what}, after the recovery`)
}

/** What an image whose log is kept up to `bytes` must hold: what was acknowledged before that. */
function expectedOf(images: readonly Image[], at: number, bytes: number): Acknowledged {
  const salts = images[at]?.log?.salts
  const kept = images.slice(0, at + 1).findLast(({ log }) => {
    return log !== undefined && (log.salts !== salts || log.committedBytes <= bytes)
  })
  return kept?.acknowledged ?? new Map()
}

/** Cuts the log off at a byte, or leaves zeros or rubbish behind it, as a disk may. */
async function spoilLog(folder: string, at: number, random: SeededRandomness): Promise<string> {
  const path = join(folder, 'cells.db-wal')
  const log = await readFile(path)
  const kept = log.subarray(0, at)
  const rest = log.length - at
  const kind = (['cut off', 'zeros', 'rubbish'] as const)[random.below(3)]
  const tail = { 'cut off': 0, zeros: rest, rubbish: Math.min(rest, 20_000) }[kind ?? 'zeros']
  const bytes = kind === 'rubbish' ? random.bytes(tail) : new Uint8Array(tail)
  await writeFile(path, Buffer.concat([kept, bytes]))
  return `${kind} at byte ${at}`
}

for (const path of PATHS) {
  test(`${IMAGES} crash images, ${path[1]} commits to ${path[0]} (CRASH_SEED=${SEED})`, (t) =>
    takeImages(t, path))
}

async function takeImages(t: TestContext, path: CommitPath): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'percolite-image-'))
  const random = new SeededRandomness(SEED)
  const data = join(folder, 'data')
  const writer = new Writer(data, path)
  t.after(async () => {
    await writer.end()
    await rm(folder, { recursive: true })
  })
  while (writer.acknowledged.size === 0) await writer.another()
  const images: Image[] = []
  let generations = 0
  for (let at = 0; at < IMAGES; at += 1) {
    for (let left = random.below(6); left > 0; left -= 1) await writer.another()
    await new Promise((resolve) => setTimeout(resolve, random.below(10)))
    const image = await takeImage(data, join(folder, `image${at}`), writer)
    if (images.at(-1)?.log?.salts !== image.log?.salts) generations += 1
    images.push(image)
  }
  let spoiled = 0
  for (const [at, { folder, log, movedBytes, acknowledged }] of images.entries()) {
    // Every second one as it is; of the others the log is spoiled where it need not have been synced.
    if (at % 2 === 0 || log === undefined || movedBytes >= log.committedBytes) {
      await assertHolds(folder, acknowledged, `image ${at}`)
      continue
    }
    const from = movedBytes + random.below(log.committedBytes - movedBytes)
    const expected = expectedOf(images, at, from)
    await assertHolds(folder, expected, `image ${at}, log ${await spoilLog(folder, from, random)}`)
    spoiled += 1
  }
  const last = [...(images.at(-1)?.acknowledged.values() ?? [])].reduce((sum, one) => sum + one, 0)
  t.diagnostic(
    `${IMAGES} images, ${spoiled} with a spoiled log, ${generations} generations of the log, ` +
      `up to ${last} acknowledged transactions`,
  )
  assert.ok(spoiled > 0 && last > 0)
}
