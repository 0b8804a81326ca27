// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { MeasuredServer } from '../servers/measured-server.ts'
import { type PercoliteOptions, PercoliteServer } from '../servers/percolite-server.ts'

const MODULE = fileURLToPath(new URL('./observers-module.ts', import.meta.url))
const LOOK_MS = 10

/** Of `GET /v1/observers`, what is measured. */
export type ObserverFigures = {
  readonly pending: number
  readonly running: number
  readonly backfilling: boolean
  readonly runs: number
  readonly conflicts: number
  readonly failures: number
}

/** A server that runs the observers of `observers-module.ts`, with the tables of one experiment. */
export class ObserverServer implements MeasuredServer {
  readonly #server: PercoliteServer

  private constructor(server: PercoliteServer) {
    this.#server = server
  }

  static async start(
    folder: string,
    options: PercoliteOptions,
    definitions: readonly string[],
  ): Promise<ObserverServer> {
    const flags = `${options['server-flags'] ?? ''} --observers ${MODULE}`.trim()
    const server = await PercoliteServer.start(folder, { ...options, 'server-flags': flags })
    for (const sql of definitions) await server.query({ sql })
    return new ObserverServer(server)
  }

  get pid(): number {
    return this.#server.pid
  }

  get origin(): string {
    return this.#server.origin
  }

  query(body: unknown): Promise<unknown> {
    return this.#server.query(body)
  }

  async figures(observer: string): Promise<ObserverFigures> {
    const answer = await fetch(`${this.origin}/v1/observers`)
    const { observers } = (await answer.json()) as {
      readonly observers: ReadonlyArray<ObserverFigures & { readonly observer: string }>
    }
    const found = observers.find((one) => one.observer === observer)
    if (found === undefined) throw new Error(`There is no observer "${observer}".`)
    if (found.failures > 0) throw new Error(`Runs of "${observer}" have failed.`)
    return found
  }

  /** Resolves when the figures are such; to how long that took. */
  async until(
    observer: string,
    isSo: (figures: ObserverFigures) => boolean,
    signal: AbortSignal,
  ): Promise<number> {
    const startedMs = performance.now()
    while (!isSo(await this.figures(observer))) {
      signal.throwIfAborted()
      await delay(LOOK_MS)
    }
    return performance.now() - startedMs
  }

  close(): Promise<void> {
    return this.#server.close()
  }
}
