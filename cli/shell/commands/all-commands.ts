// SPDX-License-Identifier: Apache-2.0
import type { BackslashCommand } from './backslash-command.ts'
import { SERVER_COMMANDS } from './server-commands.ts'
import { SETTING_COMMANDS } from './setting-commands.ts'
import { TEXT_COMMANDS } from './text-commands.ts'
import { TRANSFER_COMMANDS } from './transfer-commands.ts'

/** Every command of the shell: this table makes them, their help and their completion, and `docs/shell.md` has it. */
export const BACKSLASH_COMMANDS: readonly BackslashCommand[] = [
  ...SERVER_COMMANDS,
  ...TEXT_COMMANDS,
  ...TRANSFER_COMMANDS,
  ...SETTING_COMMANDS,
  {
    name: '\\?',
    usage: '',
    help: 'this list',
    async run({ screen }) {
      screen.say(helpText())
    },
  },
  {
    name: '\\q',
    usage: '',
    help: 'leave; what is open is rolled back',
    async run(shell) {
      shell.isLeft = true
    },
  },
]

function helpText(): string {
  const lines = BACKSLASH_COMMANDS.map(({ name, usage, help }) => ({
    call: `${name} ${usage}`.trimEnd(),
    help,
  }))
  // That of \mode is longer than all others.
  const width = 22
  return lines
    .map(({ call, help }) =>
      call.length > width
        ? `  ${call}\n  ${' '.repeat(width)}  ${help}\n`
        : `  ${call.padEnd(width)}  ${help}\n`,
    )
    .join('')
}
