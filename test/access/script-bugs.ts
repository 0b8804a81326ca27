// SPDX-License-Identifier: Apache-2.0
import { type PlantedBug, plantedIn } from './planted-bug.ts'

const DESCRIBED = 'server/requests/statements/described-statement.ts'

const bug = plantedIn('server/guard/access')

/** One for each thing that scripts and descriptions of statements have to do for access control. */
export const SCRIPT_BUGS: readonly PlantedBug[] = [
  bug(
    'scriptsOutliveTheirToken',
    'server/requests/scripts/script-runner.ts',
    'this.#deps.access.requireHeld(running.principal)',
    '',
  ),
  bug(
    'definitionsOutliveTheirToken',
    'server/requests/statements/definition-runner.ts',
    'this.#deps.access.requireHeld(running.principal)',
    '',
  ),
  bug(
    'theFirstTokenEndsItsMaker',
    'server/guard/access/access.ts',
    'principal && this.refusalOf(principal)',
    'this.refusalOf(principal)',
  ),
  bug(
    'describedForAll',
    DESCRIBED,
    'deps.access.currentCatalog(principal)',
    'deps.access.currentCatalog(undefined)',
  ),
  bug('describedRules', 'planner/plan/statement-description.ts', 'if (isClaim(name)) continue', ''),
  bug(
    'describedDefinitions',
    DESCRIBED,
    "requireServerRight(catalog, isAboutAccess(statement) ? 'admin' : 'define', position)",
    '',
  ),
]
