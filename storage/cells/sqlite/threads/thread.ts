// SPDX-License-Identifier: Apache-2.0
import { Worker } from 'node:worker_threads'
import { receivedError, type SentError } from '../error.ts'

/** The messages of a thread: one when it has opened, then one for each request. */
export type ThreadMessage<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'error'; readonly error: SentError }

type Waiting = {
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * A thread that holds one connection and carries out one request after the other. It keeps the
 * process alive while a request is under way, and not otherwise.
 */
export class SqliteThread<Request, Opened> {
  readonly #worker: Worker
  readonly #waiting: Waiting[] = []
  readonly #onDeath: (cause: unknown) => void
  #opened: Opened | undefined
  #ended: Error | undefined
  #closing = false

  private constructor(worker: Worker, onDeath: (cause: unknown) => void) {
    this.#worker = worker
    this.#onDeath = onDeath
    worker.on('message', (message: ThreadMessage<never>) => this.#settle(message))
    worker.on('error', (error: Error) => this.#die(error))
    worker.on('exit', (code) => this.#die(new Error(`A thread of the store ended (code ${code}).`)))
  }

  /**
   * Starts the thread of this module and waits until it has its connection. Rejects with the error that it threw.
   * `onDeath` is called when the thread ends without having been closed.
   */
  static async start<Request, Opened>(
    module: URL,
    path: string,
    onDeath: (cause: unknown) => void,
  ): Promise<SqliteThread<Request, Opened>> {
    const worker = new Worker(module, { workerData: path })
    const thread = new SqliteThread<Request, Opened>(worker, onDeath)
    try {
      thread.#opened = await thread.#answer<Opened>()
    } catch (error) {
      thread.#closing = true
      await worker.terminate()
      throw error
    }
    return thread
  }

  /** The thread's first message, sent when it had its connection. */
  get opened(): Opened {
    return this.#opened as Opened
  }

  /** Resolves to the thread's answer. Rejects with the error that it sends, or when it has ended. */
  ask<Answer>(request: Request, transferred: readonly ArrayBuffer[] = []): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    this.#worker.postMessage(request, transferred)
    return this.#answer<Answer>()
  }

  /** Sends a last request, and resolves when the thread has ended, whatever the answer. */
  async close(lastRequest: Request): Promise<void> {
    this.#closing = true
    await this.ask(lastRequest).catch(() => undefined)
    await this.#worker.terminate()
  }

  #answer<Answer>(): Promise<Answer> {
    if (this.#waiting.length === 0) this.#worker.ref()
    return new Promise<Answer>((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  #settle(message: ThreadMessage<never>): void {
    const waiting = this.#waiting.shift()
    if (this.#waiting.length === 0 && !this.#closing) this.#worker.unref()
    if (message.kind === 'answer') waiting?.resolve(message.answer)
    else waiting?.reject(receivedError(message.error))
  }

  #die(cause: Error): void {
    if (this.#ended !== undefined) return
    this.#ended = cause
    for (const { reject } of this.#waiting.splice(0)) reject(cause)
    // If it never opened, `start` has already rejected.
    if (this.#opened !== undefined && !this.#closing) this.#onDeath(cause)
  }
}
