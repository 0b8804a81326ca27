// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PassAnswer, PassTask, WorkerAnswer } from './pass-tasks.ts'

/** Threads that do the tasks of passes. */
export class PassWorkers {
  readonly #workers: readonly Worker[]

  constructor(count: number) {
    const program = new URL('./pass-tasks.ts', import.meta.url)
    this.#workers = Array.from({ length: count }, () => new Worker(program))
  }

  get count(): number {
    return this.#workers.length
  }

  /** Does them all, each by the next worker that is free. Returns the answers in the order of the tasks. */
  async doAll(tasks: readonly PassTask[]): Promise<readonly PassAnswer[]> {
    const answers: PassAnswer[] = []
    const waiting = tasks.entries()
    const work = async (worker: Worker) => {
      for (const [position, task] of waiting) {
        const answered = once(worker, 'message')
        worker.postMessage(task)
        const [said] = (await answered) as [WorkerAnswer]
        if ('failure' in said) throw new Error(said.failure)
        answers[position] = said.answer
      }
    }
    await Promise.all(this.#workers.map(work))
    return answers
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
  }
}
