// SPDX-License-Identifier: Apache-2.0
import type { Surroundings } from '../harness/experiment.ts'
import { cpuSecondsOfTree } from './cpu-time.ts'

/** A server under test: a process of its own with everything loaded, and a way to reach it. */
export type MeasuredServer = {
  readonly pid: number
  close(): Promise<void>
}

/**
 * One server for all contenders of an experiment that measure it: started by the first that opens it,
 * stopped by the last that closes it.
 */
export class SharedServer<Server extends MeasuredServer> {
  readonly #name: string
  readonly #start: (folder: string) => Promise<Server>
  #started: Promise<Server> | undefined
  #users = 0

  constructor(name: string, start: (folder: string) => Promise<Server>) {
    this.#name = name
    this.#start = start
  }

  acquire(surroundings: Surroundings): Promise<Server> {
    this.#users += 1
    this.#started ??= surroundings.temporaryFolder(this.#name).then(this.#start)
    return this.#started
  }

  async release(): Promise<void> {
    this.#users -= 1
    if (this.#users > 0) return
    const server = await this.#started?.catch(() => undefined)
    this.#started = undefined
    await server?.close()
  }
}

/** What `work` answers, and the CPU seconds of the server meanwhile; 0 where the system tells none. */
export async function serverCpuDuring<Result>(
  { pid }: MeasuredServer,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly cpuSeconds: number }> {
  const before = cpuSecondsOfTree(pid)
  const result = await work()
  const after = cpuSecondsOfTree(pid)
  return { result, cpuSeconds: before === undefined || after === undefined ? 0 : after - before }
}
