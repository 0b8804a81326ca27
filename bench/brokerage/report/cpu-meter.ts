// SPDX-License-Identifier: Apache-2.0
import { cpuSecondsOfTree } from '../../servers/process-figures.ts'
import type { Engine } from '../engine.ts'

/**
 * CPU seconds of the engine's processes, and of the driver apart. Where the engine works in the
 * driver's own process, both are one, and the driver has none of its own.
 */
export class CpuMeter {
  readonly #engine: Pick<Engine, 'processIds'>
  readonly #driverBefore = ownCpuSeconds()
  #engineBefore: number
  #ofEarlierProcesses = 0

  constructor(engine: Pick<Engine, 'processIds'>) {
    this.#engine = engine
    this.#engineBefore = engineCpuSeconds(engine)
  }

  /** To be called right before the engine's process is killed: what it has used would be lost. */
  beforeKill(): void {
    this.#ofEarlierProcesses += engineCpuSeconds(this.#engine) - this.#engineBefore
    // The next process begins with nothing, and its start is counted.
    this.#engineBefore = 0
  }

  read(): { readonly engine: number; readonly driver?: number } {
    const engine = this.#ofEarlierProcesses + engineCpuSeconds(this.#engine) - this.#engineBefore
    if (this.#engine.processIds.includes(process.pid)) return { engine }
    return { engine, driver: ownCpuSeconds() - this.#driverBefore }
  }
}

/** 0 where the system tells none. */
function engineCpuSeconds({ processIds }: Pick<Engine, 'processIds'>): number {
  // Servers of other engines are our children as well, so our own tree would be too much.
  return processIds
    .map((id) => (id === process.pid ? ownCpuSeconds() : (cpuSecondsOfTree(id) ?? 0)))
    .reduce((sum, seconds) => sum + seconds, 0)
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
