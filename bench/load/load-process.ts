// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Sample } from '../harness/sample.ts'
import { installedExecutable } from '../servers/executable.ts'
import type { RunOrder, WorkloadOrder } from './workload.ts'

const MAIN = fileURLToPath(new URL('./load-main.ts', import.meta.url))
const CLOSE_MS_MAX = 10_000

export type LoadRequest =
  | { readonly kind: 'open'; readonly order: WorkloadOrder }
  | { readonly kind: 'run'; readonly order: RunOrder }
  | { readonly kind: 'close' }

export type LoadAnswer =
  | { readonly kind: 'opened' }
  | { readonly kind: 'sample'; readonly sample: Sample }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly message: string }

/**
 * A load generator in a process of its own, a batch process where there are any unless it holds the store itself.
 * Its samples have its CPU time.
 */
export class LoadProcess {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Starts it and opens the workload's connections. Throws what the workload threw. */
  static async open(order: WorkloadOrder): Promise<LoadProcess> {
    const launcher = order.holdsStore === true ? [] : batchLauncher()
    const [execPath, ...execArgv] = [...launcher, process.execPath]
    const child = fork(MAIN, { execPath, execArgv })
    const load = new LoadProcess(child)
    try {
      await load.#ask({ kind: 'open', order })
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
    return load
  }

  async run(order: RunOrder, signal: AbortSignal): Promise<Sample> {
    const abort = () => this.#child.connected && this.#child.send({ kind: 'abort' })
    signal.addEventListener('abort', abort, { once: true })
    try {
      const answer = await this.#ask({ kind: 'run', order })
      if (answer.kind !== 'sample') throw new Error(`the load process answered ${answer.kind}`)
      return answer.sample
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), CLOSE_MS_MAX)
    await this.#ask({ kind: 'close' }).catch(() => this.#child.kill('SIGKILL'))
    await ended
    clearTimeout(late)
  }

  async #ask(request: LoadRequest): Promise<LoadAnswer> {
    const settled = new AbortController()
    const { signal } = settled
    try {
      const answered = once(this.#child, 'message', { signal })
      const ended = once(this.#child, 'exit', { signal })
      this.#child.send(request)
      const [answer] = (await Promise.race([
        answered,
        ended.then(([code, by]) => {
          throw new Error(`the load process ended with ${code ?? by}`)
        }),
      ])) as [LoadAnswer]
      if (answer.kind === 'failed') throw new Error(answer.message)
      return answer
    } finally {
      settled.abort()
    }
  }
}

let found: readonly string[] | undefined

/**
 * The words that make a batch process of the command behind them; none where the system has no such processes.
 *
 * Linux lets a process that is woken take the core from the one that runs there. A load generator that shares cores
 * with a server would interrupt it with each answer that it writes, and the more so the fewer threads the server has.
 * A batch process (SCHED_BATCH, sched(7)) has as much of the cores as any other, but waits for its turn.
 */
export function batchLauncher(): readonly string[] {
  found ??= findLauncher()
  return found
}

/** For a report: how the load generator was run. */
export function loadGeneratorNote(): string {
  return batchLauncher().length > 0
    ? 'The load generator is a batch process (SCHED_BATCH): it has its share of the cores, but does not interrupt a server each time that it is answered.'
    : 'The load generator is a process like any other, which may interrupt a server each time that it is answered: chrt of Linux is not to be had here.'
}

function findLauncher(): readonly string[] {
  const chrt = installedExecutable('chrt')
  if (chrt === undefined) return []
  const words = ['--batch', '0']
  // Some containers refuse it.
  const { status } = spawnSync(chrt, [...words, 'true'], { stdio: 'ignore' })
  return status === 0 ? [chrt, ...words] : []
}
