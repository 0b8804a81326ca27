// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type BackslashCommand,
  lastStatement,
  lastText,
  type ShellForCommands,
  unquoted,
} from './backslash-command.ts'

/** What runs texts: the last one again, a file, what an editor has made of it. */
export const TEXT_COMMANDS: readonly BackslashCommand[] = [
  {
    name: '\\g',
    usage: '',
    help: 'run what has been written, without ;, or the last text again',
    async run(shell) {
      const pending = shell.reader.takeAll()
      await shell.run(pending.kind === 'statement' ? pending.text : lastText(shell))
    },
  },
  {
    name: '\\explain',
    usage: '',
    help: 'how the last statement finds its rows, or each statement of the last line',
    async run(shell) {
      const sql = `EXPLAIN SCRIPT ${lastStatement(shell)}`
      await shell.show(shell.session.run(sql, shell.signal))
    },
  },
  {
    name: '\\watch',
    usage: '[seconds] [count]',
    help: 'run the last text every 2 seconds, until Ctrl-C or so many times',
    async run(shell, rest) {
      const [seconds, count] = watchOf(shell, rest)
      const sql = lastText(shell)
      for (let time = 1; time <= count; time += 1) {
        await shell.show(shell.session.run(sql, shell.signal))
        if (time < count) await waited(seconds * 1_000, shell.signal)
      }
    },
  },
  {
    name: '\\live',
    usage: '',
    help: 'the rows of the last SCAN as they are, and again after each change, until Ctrl-C',
    run: live,
  },
  {
    name: '\\i',
    usage: 'file',
    help: 'run a file of statements, on the server as one script where that can be',
    async run(shell, path) {
      if (path === '') throw new Error('It is \\i file.')
      await shell.runFile(unquoted(path))
    },
  },
  {
    name: '\\e',
    usage: '',
    help: 'write in $EDITOR what is being written, or the last text',
    async run(shell) {
      if (shell.edit === undefined) throw new Error('There is no terminal for an editor.')
      const text = shell.reader.isPending ? shell.reader.pending : shell.last
      const edited = shell.edit(text)
      shell.reader.drop()
      if (edited.trim() !== '') await shell.run(edited)
    },
  },
]

/** Seconds and how many times. Throws for what is neither. */
function watchOf(shell: ShellForCommands, rest: string): readonly [seconds: number, count: number] {
  const [first, second, extra] = rest.split(/\s+/).filter((word) => word !== '')
  const seconds = Number(first ?? 2)
  const count = Number(second ?? Number.POSITIVE_INFINITY)
  const isCount = second === undefined || (Number.isInteger(count) && count > 0)
  if (extra !== undefined || !(seconds >= 0.1 && seconds <= 86_400) || !isCount) {
    throw new Error('It is \\watch, seconds from 0.1, and how many times.')
  }
  if (!shell.isInteractive && second === undefined) {
    throw new Error('Without a terminal \\watch needs to know how many times.')
  }
  return [seconds, count]
}

/** Rejects with the reason of the signal. */
async function waited(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

async function live(shell: ShellForCommands): Promise<void> {
  if (!shell.isInteractive)
    throw new Error('\\live is for a terminal: percolite watch is for scripts.')
  const { db, variables } = shell.session
  const sql = lastStatement(shell)
  const given = [...variables].filter(([name]) => sql.includes(`:${name}`))
  const params = given.length === 0 ? undefined : Object.fromEntries(given)
  for await (const rows of db.live(sql, params, { signal: shell.signal })) {
    const names = Object.keys(rows[0] ?? {})
    // In place of the rows before.
    if (shell.screen.isTerminal) shell.screen.say('\u001b[H\u001b[2J')
    await shell.showRows(
      names,
      rows.map((row) => names.map((name) => row[name])),
    )
  }
}
