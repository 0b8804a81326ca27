// SPDX-License-Identifier: Apache-2.0
import { CHECK } from './check.ts'
import type { Command } from './command.ts'
import { HISTORY } from './history.ts'
import { MOVE } from './move.ts'
import { SERVE } from './serve.ts'
import { TOKEN } from './token.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [SERVE, CHECK, TOKEN, HISTORY, MOVE]
