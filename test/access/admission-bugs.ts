// SPDX-License-Identifier: Apache-2.0
import { type PlantedBug, plantedIn } from './planted-bug.ts'

const HEADS = 'server/doors/straight/seen-heads.ts'
const WAY = 'server/doors/straight/straight-way.ts'

const IMPERSONATIONS = 'server/guard/access/impersonations.ts'
const ROLE_RIGHTS = 'storage/tables/access/role-rights.ts'
const ROLE_VIEWS = 'server/guard/access/role-views.ts'

const bug = plantedIn('server/doors/straight', 'server/guard/access')

/** One for each thing that letting requests in has to do, and the straight way with it. */
export const ADMISSION_BUGS: readonly PlantedBug[] = [
  bug(
    'unknownIdsAreFaster',
    'server/guard/access/own-tokens.ts',
    'const holds = this.#holds(token ?? NOBODY, hash)',
    'const holds = token !== undefined && this.#holds(token, hash)',
  ),
  bug(
    'rightTokensAreFaster',
    'server/guard/access/own-tokens.ts',
    'const wasBefore = isSame(',
    'const wasBefore = !isNow && isSame(',
  ),
  bug('adminFollows', 'storage/tables/rights.ts', "return right !== 'follow'", 'return true'),
  bug(
    'noTokenFollows',
    ROLE_VIEWS,
    'if (holder === undefined) return true',
    'if (holder === undefined) return false',
  ),
  bug('headsOfAnyToken', HEADS, "'host', 'authorization', ", "'host', "),
  bug(
    'headsOutliveChanges',
    WAY,
    'if (version !== access.version || availability.refusal !== undefined)',
    'if (availability.refusal !== undefined)',
  ),
  bug('headsOutliveTokens', WAY, 'if (until <= clock.wallMicros()) return false\n', ''),
  bug(
    'straightReadsSeeAll',
    'server/doors/straight/straight-reads.ts',
    'plans.plan(statement, catalog)\n    let read',
    'plans.plan(statement, began.catalog)\n    let read',
  ),
  bug(
    'straightReadsIgnoreRules',
    'server/doors/straight/straight-reads.ts',
    'rule === undefined || meetsPointRule(',
    'true || meetsPointRule(',
  ),
  bug('impersonationWrites', ROLE_RIGHTS, 'if (!this.#keeps(right)) return false\n', ''),
  bug('impersonationDefines', ROLE_RIGHTS, 'this.#keeps(right) && mayOnServer', 'mayOnServer'),
  bug(
    'impersonationAdministers',
    ROLE_VIEWS,
    'if (impersonatedBy !== undefined && !isOfImpersonation(right)) return false\n',
    '',
  ),
  bug(
    'impersonationHasRightsOfTheRole',
    ROLE_VIEWS,
    'isImpersonated ? this.#impersonated : this.#rights',
    'this.#rights',
  ),
  bug('impersonationOfAnyText', IMPERSONATIONS, ' || !timingSafeEqual(given, signature)', ''),
  bug(
    'impersonationOutlivesItsToken',
    IMPERSONATIONS,
    'if (token === undefined || token.expires <= clock.wallMicros()) return false',
    'if (token === undefined) return true',
  ),
  bug(
    'impersonationOutlivesTheRight',
    IMPERSONATIONS,
    "return roles.may(token, 'admin')",
    'return true',
  ),
]
