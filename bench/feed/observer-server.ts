// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url'
import {
  type PercoliteOptions,
  type PercoliteServer,
  startPercolite,
} from '../servers/percolite-server.ts'

const MODULE = fileURLToPath(new URL('./observers-module.ts', import.meta.url))

/** Of `GET /v1/observers`, what is measured. */
type ObserverFigures = {
  readonly pending: number
  readonly running: number
  readonly runs: number
  readonly conflicts: number
  readonly failures: number
}

/** A server that runs the observers of `observers-module.ts`, with the tables of one experiment. */
export async function startWithObservers(
  folder: string,
  options: PercoliteOptions,
  definitions: readonly string[],
): Promise<PercoliteServer> {
  const flags = `${options['server-flags'] ?? ''} --observers ${MODULE}`.trim()
  const server = await startPercolite(folder, { ...options, 'server-flags': flags })
  for (const sql of definitions) await server.query({ sql })
  return server
}

/** Throws when there is no such observer, or when runs of it have failed. */
export async function observerFigures(
  { origin }: PercoliteServer,
  observer: string,
): Promise<ObserverFigures> {
  const answer = await fetch(`${origin}/v1/observers`)
  const { observers } = (await answer.json()) as {
    readonly observers: ReadonlyArray<ObserverFigures & { readonly observer: string }>
  }
  const found = observers.find((one) => one.observer === observer)
  if (found === undefined) throw new Error(`There is no observer "${observer}".`)
  if (found.failures > 0) throw new Error(`Runs of "${observer}" have failed.`)
  return found
}
