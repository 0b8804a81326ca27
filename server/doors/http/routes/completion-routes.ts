// SPDX-License-Identifier: Apache-2.0
import { completionsOf } from '../../../requests/statements/completions.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'

export function completionRoutes({ parser, access, requests, ended }: RouteDependencies): Handlers {
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
