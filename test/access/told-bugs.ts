// SPDX-License-Identifier: Apache-2.0
import { type PlantedBug, plantedIn } from './planted-bug.ts'

const CURSORS = 'server/requests/prepared/cursor.ts'

const bug = plantedIn('server/guard/access')
const bugOfStatistics = plantedIn('server/operations/statistics/statements.test.ts')
const bugOfLists = plantedIn('server/live/subscriptions/subscription-list.test.ts')

/** One for each thing that ids and cursors must not tell of what their holder may not know. */
export const TOLD_BUGS: readonly PlantedBug[] = [
  bug(
    'idsCount',
    'server/doors/http/routes/table-routes.ts',
    "ids.of('table', table.id)",
    "String(table.id).padStart(16, '0')",
  ),
  bug(
    'idsAreGuessed',
    'server/guard/access/opaque-ids.ts',
    "'sha256', this.#secret",
    "'sha256', ''",
  ),
  bug(
    'principalsHaveAllRights',
    'server/doors/http/routes/operation-routes.ts',
    'SERVER_RIGHTS.filter((right) => access.may(principal, right))',
    'SERVER_RIGHTS',
  ),
  bugOfStatistics(
    'statisticsShowValues',
    'server/operations/statistics/statement-statistics.ts',
    'return this.#parser.shapeOf(text, statement.position.offset)',
    'return text',
  ),
  bugOfLists(
    'subscriptionsShowValues',
    'server/doors/http/routes/change-routes.ts',
    'shapes.get(text) ?? parser.shapeOf(text)',
    'text',
  ),
  bug('cursorsShowTheirPlace', CURSORS, '.update(bytes)', '&& Buffer.from(bytes)'),
]
