// SPDX-License-Identifier: Apache-2.0
import { BACKUP } from './backup/backup.ts'
import { RESTORE } from './backup/restore.ts'
import { CHECK } from './check.ts'
import type { Command } from './command.ts'
import { DEMO } from './demo/demo.ts'
import { HISTORY } from './history.ts'
import { INIT } from './init/init.ts'
import { MCP } from './mcp/mcp-command.ts'
import { MIGRATE } from './migrate/migrate.ts'
import { MOVE } from './move.ts'
import { PROMOTE } from './promote.ts'
import { QUERY } from './query/query.ts'
import { WATCH } from './query/watch.ts'
import { SERVE } from './serve.ts'
import { SHELL } from './shell/shell-command.ts'
import { TOKEN } from './token.ts'
import { EXPORT } from './transfer/export.ts'
import { IMPORT } from './transfer/import.ts'
import { TYPES } from './types/types-command.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  SERVE,
  DEMO,
  INIT,
  SHELL,
  QUERY,
  WATCH,
  MCP,
  MIGRATE,
  EXPORT,
  IMPORT,
  TYPES,
  CHECK,
  TOKEN,
  BACKUP,
  RESTORE,
  HISTORY,
  MOVE,
  PROMOTE,
]
