// SPDX-License-Identifier: Apache-2.0
import { parentPort, workerData } from 'node:worker_threads'
import { sentError } from '../error.ts'
import type { ThreadMessage } from './thread.ts'

/** What a thread does with its connection. */
export interface ThreadService<Request> {
  /** Sent to the starter of the thread. */
  readonly opened: unknown
  /** The answer to a request; an error that it throws is sent as well. */
  answer(request: Request): unknown
  /** Called when the answer has been sent, so that it delays none. An error that it throws ends the thread. */
  afterAnswer?(): void
  /** Becomes false with the last request. */
  isOpen(): boolean
}

/** Opens the connection of this thread and serves its requests one after the other. */
export function serveThread<Request>(open: (path: string) => ThreadService<Request>): void {
  if (parentPort === null) throw new Error('This is the main module of a thread.')
  const port = parentPort
  const send = (message: ThreadMessage<unknown>) => port.postMessage(message)
  let service: ThreadService<Request>
  try {
    service = open(workerData as string)
  } catch (error) {
    send({ kind: 'error', error: sentError(error) })
    return
  }
  send({ kind: 'answer', answer: service.opened })
  port.on('message', (request: Request) => {
    try {
      send({ kind: 'answer', answer: service.answer(request) })
    } catch (error) {
      send({ kind: 'error', error: sentError(error) })
    }
    if (service.isOpen()) service.afterAnswer?.()
    else port.close()
  })
}
