// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../../parser/parser.ts'
import type { Access } from '../../access/access.ts'
import type { RunningRequests } from '../../requests/running-requests.ts'
import { completionsOf } from '../../statements/completions.ts'
import type { EndedTransactions } from '../../transactions/ended-transactions.ts'
import { listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'

export function completionRoutes(parts: {
  readonly parser: Pick<Parser, 'placeIn'>
  readonly access: Access
  readonly requests: RunningRequests
  readonly ended: EndedTransactions
}): Handlers {
  const { parser, access, requests, ended } = parts
  return {
    async getCompletions({ body, reply }) {
      const { sql, offset = sql.length } = body as { sql: string; offset?: number }
      return listedWork(requests, reply, async (running) => {
        const { turns, signal } = running
        if (!turns.mayBegin) await turns.begin()
        const place = parser.placeIn(sql, Math.min(offset, sql.length))
        // A text alone may have taken a turn.
        if (turns.isDue) await turns.pause()
        signal.throwIfAborted()
        const catalog = await ended.counted(() => access.currentCatalog(running.principal))
        const { items, more } = completionsOf(place, catalog)
        const { from, expected, unfinished, statements } = place
        return { from, items, more, expected, unfinished, statements }
      })
    },
  }
}
