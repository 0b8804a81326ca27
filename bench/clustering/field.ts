// SPDX-License-Identifier: Apache-2.0
import { cp, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
} from '../servers/percolite-server.ts'
import type { ClusterShape } from './assignment/cluster-index.ts'
import type { DocumentsOrder, SyntheticDocuments } from './documents/synthetic-documents.ts'

/** The paper's passes take 20 minutes of an hour. */
const HOUR_IN_T0 = 3

export type FieldOrder = {
  readonly documents: DocumentsOrder
  readonly percolite: PercoliteOptions
  /** How many processes or threads the passes have. */
  readonly workers: number
}

/** A measured rate, from which saturation and cross-over are found afterwards. */
export type RatePoint = {
  readonly percent: number
  /** Undefined where the system does not keep up. */
  readonly delayMs: number | undefined
  /** User and system time for each document that was clustered. */
  readonly cpuMs: number
}

/**
 * What the contenders of one repository size share: the clustered repository in a data directory, of which each run
 * has a copy, and the time of the passes over it, from which the benchmark hour follows.
 */
export class Field {
  readonly order: FieldOrder
  readonly documents: SyntheticDocuments
  readonly shape: ClusterShape
  /** Seconds that all passes take, `batch-full`, when nothing is new. */
  readonly t0Seconds: number
  readonly #folder: string
  /** By the name of the series, in the order in which they were measured. */
  readonly points = new Map<string, RatePoint[]>()
  /** Of each run of passes, by series: how many documents were new, and how long it took. */
  readonly passes = new Map<string, { readonly x: number; readonly y: number }[]>()
  #copies = 0

  constructor(
    order: FieldOrder,
    made: Pick<Field, 'documents' | 'shape' | 't0Seconds'> & { readonly folder: string },
  ) {
    this.order = order
    this.documents = made.documents
    this.shape = made.shape
    this.t0Seconds = made.t0Seconds
    this.#folder = made.folder
  }

  /** The benchmark hour, in seconds. */
  get hourSeconds(): number {
    return HOUR_IN_T0 * this.t0Seconds
  }

  /** Of so many percent of the repository in a benchmark hour. */
  documentsPerSecond(percent: number): number {
    return ((percent / 100) * this.order.documents.repository) / this.hourSeconds
  }

  percentOf(documentsPerSecond: number): number {
    return (100 * documentsPerSecond * this.hourSeconds) / this.order.documents.repository
  }

  /** Runs `work` with a server over a copy of the repository, which is removed afterwards. */
  async withServer<Result>(
    flags: string,
    work: (server: PercoliteServer, copy: FieldCopy) => Promise<Result>,
  ): Promise<Result> {
    this.#copies += 1
    const folder = join(this.#folder, `run-${this.#copies}`)
    const dataDirectory = join(folder, 'data')
    await copyDurably(baseOf(this.#folder), dataDirectory)
    let server: PercoliteServer | undefined
    const stop = async () => {
      await server?.close()
      server = undefined
    }
    try {
      const { percolite } = this.order
      const all = `${percolite['server-flags'] ?? ''} ${flags}`.trim()
      server = await startPercolite(folder, { ...percolite, 'server-flags': all })
      return await work(server, { folder, dataDirectory, stop })
    } finally {
      await stop()
      await rm(folder, { recursive: true, force: true })
    }
  }

  remember(series: string, point: RatePoint): void {
    const known = this.points.get(series) ?? []
    this.points.set(
      series,
      [...known, point].sort((a, b) => a.percent - b.percent),
    )
  }

  async close(): Promise<void> {}
}

/** Where the repository lies in the folder of a field. */
export function baseOf(folder: string): string {
  return join(folder, 'base')
}

export type FieldCopy = {
  readonly folder: string
  readonly dataDirectory: string
  /** Ends the server, so that the data directory can be read. */
  stop(): Promise<void>
}

/** What is still to be written to the disk would be written during the run. */
async function copyDurably(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true })
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    await using file = await open(join(entry.parentPath, entry.name), 'r+')
    await file.sync()
  }
}
