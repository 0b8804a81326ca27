// SPDX-License-Identifier: Apache-2.0
import type { Sample } from '../harness/sample.ts'

/** What the clients of a load process do, over connections that stay open from run to run. */
export type Workload = {
  /**
   * One operation of one client: the next begins when it has ended. `sequence` counts up over all
   * clients of a run and starts again with the next one. In an open loop `intendedMs` is when it should
   * have begun, by `performance.now()`; in a closed one it is now. A failure ends the run.
   */
  operate(client: number, sequence: number, intendedMs: number): Promise<unknown>
  /** Where a workload has several mixes of operations: which the next run is of. */
  choose?(mix: string): void
  /** Figures of the run that has just ended, such as retries; the next run begins at zero. */
  takeFigures?(): Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>
  close(): Promise<void>
}

/** Of operations that cost too little to be called one by one: it takes its samples itself. */
export type SampledWorkload = {
  run(order: RunOrder, signal: AbortSignal): Promise<Sample>
  close(): Promise<void>
}

/** What a module of a workload exports under this name. Settings travel between processes as JSON. */
export type OpenWorkload<Settings> = (
  settings: Settings,
  options: LoadOptions,
) => Promise<Workload | SampledWorkload>

/** Which of the load processes of a contender this is, and how many clients it may have. */
export type LoadOptions = { readonly clients: number; readonly seed: number }

export type WorkloadOrder = {
  /** Where the module is: a file URL, as text. */
  readonly module: string
  readonly settings: unknown
  /** Connections that are opened, one for each client of a closed loop. */
  readonly clients: number
  readonly seed: number
  /** There is no server to wait for: the store is in the load process. */
  readonly holdsStore?: boolean
}

export type RunOrder = {
  readonly seconds: number
  /** In an open loop; without it each client starts its next operation when its last has ended. */
  readonly ratePerSecond?: number
  /** Of the closed loop; as many as there are connections unless given. */
  readonly clients?: number
  readonly mix?: string
}
