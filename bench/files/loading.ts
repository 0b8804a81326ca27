// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { Contender, Experiment, Goal, Surroundings } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import { folderBytes } from '../servers/folder-bytes.ts'
import { type PeerContender, withInstalledPeers } from '../servers/installed-peers.ts'
import type { PercoliteOptions } from '../servers/percolite-server.ts'
import { cpuSecondsOfTree, mebibytesOf, writtenBytesOfTree } from '../servers/process-figures.ts'
import type { StoreKind } from '../stores/open-store.ts'
import { loadTable, PROGRAMS, startStore } from '../stores/start-store.ts'
import type { StoreRecord } from '../stores/store.ts'
import { FIELD_COUNT, USERTABLE } from '../ycsb/record.ts'
import { loadedPieces } from './loaded-pieces.ts'

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
export function loading(rows: number, options: PercoliteOptions): Experiment {
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
