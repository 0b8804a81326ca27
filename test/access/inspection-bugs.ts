// SPDX-License-Identifier: Apache-2.0
import { type PlantedBug, plantedIn } from './planted-bug.ts'

const INSPECTIONS = 'server/live/cells/socket-inspections.ts'

const bug = plantedIn('server/live/cells')

/** One for each thing that has to be asked for, or told, before somebody looks below the rows. */
export const INSPECTION_BUGS: readonly PlantedBug[] = [
  bug('anybodyInspects', INSPECTIONS, "access.requireRight(principal, 'inspect')", ''),
  bug(
    'inspectionsOutliveRights',
    'server/doors/websocket/socket-session.ts',
    'this.#works.stepRights()',
    '',
  ),
  bug('inspectionsAreNotTold', INSPECTIONS, 'audit.inspected(running, table.name)', ''),
  bug(
    'cellsAreNotTold',
    'server/doors/http/routes/cell-routes.ts',
    'audit.inspected(running, table.name)',
    '',
  ),
]
