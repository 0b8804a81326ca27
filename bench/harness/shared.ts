// SPDX-License-Identifier: Apache-2.0
import type { Contender, OpenContender, Surroundings } from './experiment.ts'

/**
 * What several contenders of an experiment use, such as a server or a filled store: opened by the first of them
 * that is opened, closed by the last one that is closed.
 */
export class Shared<Thing extends { close(): Promise<void> }> {
  readonly #open: (surroundings: Surroundings) => Promise<Thing>
  #opening: Promise<Thing> | undefined
  #users = 0

  constructor(open: (surroundings: Surroundings) => Promise<Thing>) {
    this.#open = open
  }

  acquire(surroundings: Surroundings): Promise<Thing> {
    this.#users += 1
    this.#opening ??= this.#open(surroundings)
    return this.#opening
  }

  async release(): Promise<void> {
    this.#users -= 1
    if (this.#users > 0) return
    const thing = await this.#opening?.catch(() => undefined)
    this.#opening = undefined
    await thing?.close()
  }
}

/** A contender over what it shares with its neighbours; `prepare` makes its work of that. */
export function onShared<Thing extends { close(): Promise<void> }>(
  name: string,
  shared: Shared<Thing>,
  prepare: (thing: Thing) => OpenContender['run'] | Promise<OpenContender['run']>,
  point?: NonNullable<Contender['point']>,
): Contender {
  return {
    name,
    ...(point === undefined ? {} : { point }),
    async open(surroundings) {
      const run = await prepare(await shared.acquire(surroundings))
      return { run, close: () => shared.release() }
    },
  }
}
