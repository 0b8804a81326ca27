// SPDX-License-Identifier: Apache-2.0
import { parentPort } from 'node:worker_threads'
import { doPassTask, type PassTask } from './pass-tasks.ts'

export type WorkerAnswer =
  | { readonly answer: Awaited<ReturnType<typeof doPassTask>> }
  | { readonly failure: string }

// The program of a worker of the passes: it does the tasks that it is sent, one at a time.
parentPort?.on('message', (task: PassTask) => {
  doPassTask(task).then(
    (answer) => {
      const transferred = answer.outcome === undefined ? [] : [answer.outcome.buffer as ArrayBuffer]
      parentPort?.postMessage({ answer } satisfies WorkerAnswer, transferred)
    },
    (error: unknown) => {
      const failure = error instanceof Error ? String(error.stack) : String(error)
      parentPort?.postMessage({ failure } satisfies WorkerAnswer)
    },
  )
})
