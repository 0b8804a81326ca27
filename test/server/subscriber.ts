// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { createParser } from '../../parser/parser.ts'
import type { ClientKey } from '../../server/guard/budgets/client-key.ts'
import type { Shares } from '../../server/guard/budgets/shares.ts'
import type { TurnQueue } from '../../server/guard/budgets/turns.ts'
import {
  type SubscriptionRequest,
  Subscriptions,
} from '../../server/live/subscriptions/subscriptions.ts'
import { AnswerWriter } from '../../server/requests/answers/answer-text.ts'
import { RunningRequest } from '../../server/requests/prepared/running-request.ts'
import { StatementExecution } from '../../server/requests/statements/statement-execution.ts'
import type { Storage } from '../../storage/storage.ts'
import { executionDeps } from './execution-deps.ts'
import { RecordingSink } from './recording-sink.ts'

/** Subscribes to a store without a socket, until the test is over; `ended` resolves with what ended it before. */
export function subscriberOf(
  t: TestContext,
  storage: Storage,
  own: {
    readonly writer?: AnswerWriter
    readonly turnQueue?: TurnQueue
    readonly shares?: Shares
  } = {},
) {
  const parts = { ...executionDeps(storage), writer: new AnswerWriter(), ...own }
  const execution = new StatementExecution(parts)
  const log = pino({ level: 'silent' })
  const all = { ...parts, log, execution }
  const subscriptions = new Subscriptions(all, createParser())
  const running: RunningRequest[] = []
  t.after(async () => {
    for (const one of running) one.abort(new Error('The test is over.'))
    await subscriptions.close()
  })
  return (request: SubscriptionRequest, client?: string) => {
    const caller = client === undefined ? {} : { caller: { client: client as ClientKey } }
    const own = new RunningRequest(caller)
    running.push(own)
    const sink = new RecordingSink()
    const ended: Promise<unknown> = subscriptions
      .serve(request, sink, own)
      .catch((error: unknown) => error)
      .finally(() => own.end())
    return { sink, ended, own }
  }
}
