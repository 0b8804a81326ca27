// SPDX-License-Identifier: Apache-2.0

import { setTimeout as delay } from 'node:timers/promises'
import { numberOf } from '../harness/command-line.ts'
import type { Contender, Experiment, Goal, Suite, Surroundings } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { type PeerContender, withInstalledPeers } from '../servers/executable.ts'
import {
  PERCOLITE_OPTIONS,
  type PercoliteOptions,
  startPercolite,
} from '../servers/percolite-server.ts'
import {
  cpuSecondsOfTree,
  folderBytes,
  mebibytesOf,
  writtenBytesOfTree,
} from '../servers/process-figures.ts'
import { openStore, type StoreKind } from '../stores/open-store.ts'
import { closedOnFailure, loadTable, PROGRAMS, startStore } from '../stores/start-store.ts'
import type { StoreRecord } from '../stores/store.ts'
import { recordPieces } from '../ycsb/loaded-store.ts'
import { FIELD_COUNT, recordKey, USERTABLE } from '../ycsb/record.ts'

const KINDS: readonly StoreKind[] = ['percolite', 'postgresql']
/** The written bytes of a process can only be read while it is there. */
const LOOK_AGAIN_MS = 20

type Size = { readonly name: string; readonly fieldLength: number; readonly goals: Goals }
type Goals = { readonly must: number; readonly aim: number }

const SIZES: readonly Size[] = [
  { name: '1 kB', fieldLength: 100, goals: { must: 33, aim: 20 } },
  { name: '4 kB', fieldLength: 400, goals: { must: 20, aim: 8 } },
]

/** What loading rows in random order of their keys writes, and what its files take in the end. */
function loading(rows: number, options: PercoliteOptions): Experiment {
  const contenders = SIZES.flatMap((size) =>
    KINDS.map((kind) => loadingOf(kind, size, rows, options)),
  )
  return withInstalledPeers({
    name: 'loading',
    title: `Loading ${rows.toLocaleString('en')} rows in random order of their keys`,
    unit: 'rows',
    repetitions: 1,
    warmUpSeconds: 0,
    contenders,
    goals: SIZES.flatMap(({ name, goals }): readonly Goal[] => [
      {
        what: `bytes written while rows of ${name} are loaded / their own bytes`,
        ...{ of: `percolite, ${name}`, figure: 'figures.writtenTimes' as const },
        ...{ ...goals, smallerIsBetter: true },
      },
      {
        what: `files of rows of ${name} / their own bytes`,
        ...{ of: `percolite, ${name}`, figure: 'figures.filesTimes' as const },
        ...{ must: 1.5, aim: 1.3, smallerIsBetter: true },
      },
    ]),
    plots: [],
    notes: [
      'A request has 100 rows, and is on disk before the next. `writtenTimes` are the bytes that the server’s processes have given to the disk until they have ended, as the kernel counts them (/proc/…/io), and `filesTimes` the bytes of all files afterwards, both divided by the bytes of keys and fields.',
    ],
  })
}

function loadingOf(
  kind: StoreKind,
  { name, fieldLength }: Size,
  rows: number,
  options: PercoliteOptions,
): PeerContender {
  const contender: Contender = {
    name: `${kind}, ${name}`,
    async open(surroundings) {
      return {
        run: (_seconds, signal) => load(surroundings, signal),
        close: async () => {},
      }
    },
  }
  async function load(
    { say, temporaryFolder }: Surroundings,
    signal: AbortSignal,
  ): Promise<Sample> {
    const folder = await temporaryFolder(kind)
    const server = await startStore(kind, folder, options)
    let ended = false
    const close = async () => {
      await server.close()
      ended = true
    }
    try {
      let bytes = 0
      const counted = function* (): Iterable<readonly StoreRecord[]> {
        for (const piece of loadedPieces(rows, { say, signal }, fieldLength)) {
          yield piece
          for (const { key } of piece) bytes += key.length + FIELD_COUNT * fieldLength
        }
      }
      const before = writtenBytesOfTree(server.pid)
      const seconds = await loadTable(server.settings, USERTABLE, counted())
      const residentMiB = mebibytesOf(server.pid, 'VmHWM')
      const cpuSeconds = cpuSecondsOfTree(server.pid) ?? 0
      let written = writtenBytesOfTree(server.pid)
      const closing = close()
      while (!ended) {
        written = Math.max(written, writtenBytesOfTree(server.pid))
        await Promise.race([closing, delay(LOOK_AGAIN_MS)])
      }
      const figures = {
        writtenTimes: (written - before) / bytes,
        filesTimes: (await folderBytes(folder)) / bytes,
        residentMiB,
      }
      return { operations: rows, seconds, cpuSeconds, figures }
    } finally {
      if (!ended) await close()
    }
  }
  return { ...contender, program: PROGRAMS[kind] }
}

/** `recordPieces`, and says how many records have been taken. Throws when the signal is aborted. */
function* loadedPieces(
  rows: number,
  { say, signal }: Pick<Surroundings, 'say' | 'signal'>,
  fieldLength?: number,
): Iterable<readonly StoreRecord[]> {
  let loaded = 0
  for (const piece of recordPieces(rows, fieldLength)) {
    signal.throwIfAborted()
    yield piece
    loaded += piece.length
    say(`${loaded.toLocaleString('en')} of ${rows.toLocaleString('en')} rows`)
  }
}

const NAME = 'load, kill -9, start'

/** The memory that a server takes while rows of a kilobyte are loaded, and its start after `kill -9`. */
function restart(rows: number, options: PercoliteOptions): Experiment {
  const count = rows.toLocaleString('en')
  const goal = { of: NAME, smallerIsBetter: true } as const
  return {
    name: 'restart',
    title: `${count} rows of 1 kB: memory, and the start after kill -9`,
    unit: 'rows',
    repetitions: 1,
    warmUpSeconds: 0,
    contenders: [
      {
        name: NAME,
        open: async (surroundings) => ({
          run: (_seconds, signal) => run(rows, options, surroundings, signal),
          close: async () => {},
        }),
      },
    ],
    goals: [
      {
        what: `${count} rows of 1 kB loaded, resident set`,
        ...{ ...goal, figure: 'figures.residentMiB', unit: 'MiB', must: 500, aim: 400 },
      },
      {
        what: `${count} rows of 1 kB, from the start after kill -9 to a row`,
        ...{ ...goal, figure: 'figures.startSeconds', unit: 's', must: 3, aim: 1 },
      },
    ],
    plots: [],
    notes: [
      'The server is killed while a request is under way. `startSeconds` is the time from the start of the next process to its answer to a GET of the last row that was acknowledged, which has to be there.',
    ],
  }
}

async function run(
  rows: number,
  options: PercoliteOptions,
  { say, temporaryFolder }: Surroundings,
  signal: AbortSignal,
): Promise<Sample> {
  const folder = await temporaryFolder('percolite')
  const server = await startPercolite(folder, options)
  const settings = { kind: 'percolite', origin: server.origin } as const
  const seconds = await closedOnFailure(server, () =>
    loadTable(settings, USERTABLE, loadedPieces(rows, { say, signal })),
  )
  const residentMiB = mebibytesOf(server.pid, 'VmHWM')
  const cpuSeconds = cpuSecondsOfTree(server.pid) ?? 0
  const store = await openStore(settings, USERTABLE, 1)
  // Nobody waits for its answer.
  store.update(0, recordKey(0), [[0, 'changed']]).catch(() => {})
  await server.kill()
  await store.close()
  const startedMs = performance.now()
  const next = await startPercolite(folder, options)
  try {
    const reader = await openStore({ kind: 'percolite', origin: next.origin }, USERTABLE, 1)
    await reader.get(0, recordKey(rows - 1))
    const startSeconds = (performance.now() - startedMs) / 1000
    await reader.close()
    return { operations: rows, seconds, cpuSeconds, figures: { residentMiB, startSeconds } }
  } finally {
    await next.close()
  }
}

const ROWS_MIN = 100

/** What rows of a kilobyte and more cost on disk, in memory and at the next start. */
export const filesSuite: Suite = {
  title: 'Bytes on disk and in memory, and the start after kill -9',
  defaults: { seconds: 1, repetitions: 1 },
  options: {
    rows: { default: '200000', help: 'rows loaded for the bytes on disk' },
    'restart-rows': { default: '1000000', help: 'rows loaded before kill -9' },
    ...PERCOLITE_OPTIONS,
  },
  experiments(options) {
    const rowsOf = (flag: string) => numberOf(flag, options[flag] ?? '', ROWS_MIN)
    return [loading(rowsOf('rows'), options), restart(rowsOf('restart-rows'), options)]
  },
}
