// SPDX-License-Identifier: Apache-2.0
import type { PageRequest, StatementResult } from '../../../planner/planner.ts'
import { AnswerBudget } from '../../requests/answers/query-answer.ts'
import type { IndexedStatement } from '../../requests/prepared/script.ts'
import type { Run } from '../../requests/statements/statement-execution.ts'
import type { SubscriptionDependencies } from './subscription-parts.ts'

/**
 * The answer of a statement, a page at a time, on the account of `running`, which holds each page until the next one is
 * asked for. `room` says how much the next one may have. Rejects with StatementFailure and with the signal's reason.
 */
export async function* pagesOf(
  { execution }: Pick<SubscriptionDependencies, 'execution'>,
  { statement, parameters }: Pick<IndexedStatement, 'statement' | 'parameters'>,
  reading: Pick<Run, 'running' | 'transaction' | 'catalog'>,
  room: () => Omit<PageRequest, 'after'>,
): AsyncGenerator<StatementResult | undefined, void, undefined> {
  let after: Uint8Array | undefined
  do {
    const page = after === undefined ? room() : { ...room(), after }
    const [result] = await execution.run([{ statement, parameters, index: 0 }], {
      ...reading,
      request: {},
      paging: { page, check: () => undefined },
      answer: new AnswerBudget(reading.running),
    })
    yield result
    after = result?.resumeAfter
  } while (after !== undefined)
}
