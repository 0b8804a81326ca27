// SPDX-License-Identifier: Apache-2.0
import { Shared } from '../harness/shared.ts'
import { cpuSecondsOfTree } from './process-figures.ts'

/** A server under test: a process of its own with everything loaded, and a way to reach it. */
export type MeasuredServer = {
  readonly pid: number
  /** There is no server: the store is in the load process, and its CPU time is in that of the load. */
  readonly inProcess?: boolean
  close(): Promise<void>
}

/** One server for all contenders of an experiment that measure it, in a folder of its own. */
export class SharedServer<Server extends MeasuredServer> extends Shared<Server> {
  constructor(name: string, start: (folder: string) => Promise<Server>) {
    super((surroundings) => surroundings.temporaryFolder(name).then(start))
  }
}

/** What `work` returns, and the CPU seconds of the server meanwhile; 0 where the system tells none. */
export async function serverCpuDuring<Result>(
  { pid }: MeasuredServer,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly cpuSeconds: number }> {
  const before = cpuSecondsOfTree(pid)
  const result = await work()
  const after = cpuSecondsOfTree(pid)
  return { result, cpuSeconds: before === undefined || after === undefined ? 0 : after - before }
}
