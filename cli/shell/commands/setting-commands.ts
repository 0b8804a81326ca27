// SPDX-License-Identifier: Apache-2.0
import { parameterOf } from '../../query/given-parameters.ts'
import { MODES } from '../../results/view.ts'
import { type BackslashCommand, unquoted } from './backslash-command.ts'

/** How results are shown, and what statements run with. */
export const SETTING_COMMANDS: readonly BackslashCommand[] = [
  {
    name: '\\x',
    usage: '[on|off|auto]',
    help: 'a line for each value; auto: where a table is wider than the terminal',
    async run({ screen }, rest) {
      const next = rest === '' ? (screen.expanded === 'on' ? 'off' : 'on') : rest
      screen.expanded = oneOf(['on', 'off', 'auto'] as const, next, '\\x')
      screen.say(`\\x is ${screen.expanded}.\n`)
    },
  },
  {
    name: '\\mode',
    usage: MODES.join('|'),
    help: 'form of results',
    async run({ screen }, rest) {
      if (rest !== '') screen.mode = oneOf(MODES, rest, '\\mode')
      screen.say(`\\mode is ${screen.mode}.\n`)
    },
  },
  {
    name: '\\timing',
    usage: '[on|off]',
    help: 'show how long it took',
    async run({ screen }, rest) {
      const next = rest === '' ? (screen.isTiming ? 'off' : 'on') : rest
      screen.isTiming = oneOf(['on', 'off'] as const, next, '\\timing') === 'on'
      screen.say(`\\timing is ${screen.isTiming ? 'on' : 'off'}.\n`)
    },
  },
  {
    name: '\\o',
    usage: '[file]',
    help: 'results go to a file, and back to the terminal without one',
    async run({ screen }, path) {
      screen.writeTo(path === '' ? undefined : unquoted(path))
    },
  },
  {
    name: '\\set',
    usage: '[name [value]]',
    help: 'value of the parameter :name, as for --param; without a value it is gone',
    async run(shell, rest) {
      const { variables } = shell.session
      if (rest === '') {
        const rows = [...variables].map(([name, value]) => [name, shown(value)])
        return await shell.showRows(['name', 'value'], rows)
      }
      const [, name, value] = /^:?([A-Za-z_]\w*)(?:\s+(.+))?$/s.exec(rest) ?? []
      if (name === undefined) throw new Error('It is \\set name value.')
      if (value === undefined) variables.delete(name)
      else variables.set(name, parameterOf(value))
    },
  },
  {
    name: '\\asof',
    usage: '[STAMP|off]',
    help: 'read the past outside of transactions: microseconds, or a time',
    async run({ session, screen }, rest) {
      if (rest === 'off') session.asOf = undefined
      else if (rest !== '')
        session.asOf = /^\d+$/.test(rest) ? Number(rest) : rest.replaceAll("'", '')
      screen.say(`\\asof is ${session.asOf ?? 'off'}.\n`)
    },
  },
]

function oneOf<T extends string>(choices: readonly T[], given: string, name: string): T {
  const found = choices.find((choice) => choice === given)
  if (found === undefined) throw new Error(`${name} is one of ${choices.join(', ')}.`)
  return found
}

function shown(value: unknown): string {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}
