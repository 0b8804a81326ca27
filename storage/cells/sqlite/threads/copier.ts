// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, fork } from 'node:child_process'
import type { StoreCopier } from '../../cell-store.ts'
import { receivedError } from '../error.ts'
import type { CopierRequest } from './copier-process.ts'
import type { ThreadMessage } from './thread.ts'

// TypeScript in the repository, JavaScript where the package is installed.
const isSource = import.meta.url.endsWith('.ts')
const COPIER = new URL(isSource ? './copier-process.ts' : './copier-process.js', import.meta.url)

type Waiting = {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

/**
 * Starts the process that copies the file at `path`; where it cannot, its first request rejects. `ended` is called once
 * it no longer reads.
 */
export function startCopier(
  path: string,
  { isInBackground = false }: { readonly isInBackground?: boolean },
  ended: () => void,
): StoreCopier {
  try {
    return new Copier(isInBackground ? [path, 'background'] : [path], ended)
  } catch (error) {
    ended()
    throw error
  }
}

/** One request at a time is under way in the process. */
class Copier implements StoreCopier {
  readonly #opened: Promise<null>
  readonly #child: ChildProcess
  readonly #ended = Promise.withResolvers<void>()
  #death: Error | undefined
  #waiting: Waiting | undefined

  constructor(words: readonly string[], ended: () => void) {
    this.#child = fork(COPIER, words, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const died = (death: Error) => {
      if (this.#death !== undefined) return
      this.#death = death
      this.#waiting?.reject(death)
      ended()
      this.#ended.resolve()
    }
    this.#child.on('message', (message: ThreadMessage<never>) => this.#settle(message))
    this.#child.on('error', (error) => {
      // Where it was never started there is no exit.
      if (this.#child.pid === undefined) died(error)
    })
    this.#child.on('exit', (code, signal) =>
      died(new Error(`The process that reads the database ended (${signal ?? `code ${code}`}).`)),
    )
    this.#opened = this.#answer<null>()
    // It is for who asks.
    this.#opened.catch(() => {})
  }

  copyTo(file: string): Promise<number> {
    return this.#ask<number>({ kind: 'copy', file })
  }

  pageProblems(): Promise<string[]> {
    return this.#ask<string[]>({ kind: 'checkPages' })
  }

  fileProblems(dataDirectory: string): Promise<string[]> {
    return this.#ask<string[]>({ kind: 'check', dataDirectory })
  }

  async close(): Promise<void> {
    if (this.#child.pid !== undefined) this.#child.kill('SIGKILL')
    await this.#ended.promise
  }

  async #ask<Answer>(request: CopierRequest): Promise<Answer> {
    await this.#opened
    if (this.#death !== undefined) throw this.#death
    // What cannot be sent goes to a process that has ended.
    this.#child.send(request, () => {})
    return await this.#answer<Answer>()
  }

  #answer<Answer>(): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  #settle(message: ThreadMessage<never>): void {
    if (message.kind === 'answer') this.#waiting?.resolve(message.answer)
    else this.#waiting?.reject(receivedError(message.error))
  }
}
