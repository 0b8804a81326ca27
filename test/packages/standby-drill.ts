// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePorts } from '../../bench/servers/child-server.ts'
import { node24 } from '../../tools/other-runtimes.ts'
import { CommandShell } from '../browser/command-shell.ts'
import { StartedCommand } from '../browser/started-command.ts'
import { type ReadmeBlock, readmeBlocks } from '../readme-blocks.ts'
import { testFolder } from '../test-folder.ts'
import { packed, Stranger, serversPackages } from './stranger.ts'

// The drill of docs/standby.md, as the page has it, with the packed server in two terminals.

/** What the machine may take of the five minutes that a person has. */
const DRILL_MS_MAX = 120_000

const folder = await testFolder({ after }, 'standby-drill')
const stranger = new Stranger(join(folder, 'app'), node24())
await stranger.install([await packed(folder)], await serversPackages())

type Step = {
  readonly command: string
  /** The lines that the page shows. */
  readonly shown: readonly string[]
}

function stepsOf({ kind, commands, output = '' }: ReadmeBlock): Step[] {
  if (kind === 'sh') return [{ command: commands, shown: [] }]
  const steps = `${commands}${output}`.split(/^\$ /m)
  return steps.map((text) => {
    const [command = '', ...shown] = text.trimEnd().split('\n')
    return { command, shown }
  })
}

/** A timestamp, a size and the version may be another one, and `…` stands for anything. */
function patternOf(line: string): RegExp {
  const parts = line.split(/(…|\b\d{16}\b|(?<="bytes":)\d+|(?<=percolite )\d+\.\d+\.\d+)/)
  const texts = parts.map((part, at) => {
    if (at % 2 === 0) return RegExp.escape(part)
    return part === '…' ? '.*' : String.raw`[\d.]+`
  })
  return new RegExp(texts.join(''))
}

/** In this order, with other lines between them. */
function assertShown(printed: string, { command, shown }: Step): void {
  const lines = printed.split('\n')
  for (const line of shown) {
    const at = lines.findIndex((one) => patternOf(line).test(one))
    assert.notEqual(at, -1, `$ ${command}\nshould print\n${line}\nand printed\n${printed}`)
    lines.splice(0, at + 1)
  }
}

test('the drill: from two empty folders to a promoted standby with all rows', async (t) => {
  const [one, two] = await freePorts(2)
  const here = (text: string) => text.replaceAll('4811', `${one}`).replaceAll('4812', `${two}`)
  const steps = readmeBlocks('A drill of five minutes', 'docs/standby.md').flatMap(stepsOf)
  const isSecondTerminal = ({ command }: Step) => /^percolite serve .*--follow/.test(command)
  assert.equal(steps.filter(isSecondTerminal).length, 1)
  assert.ok(steps.length >= 10)
  await using terminals = new AsyncDisposableStack()
  const { cwd, env } = stranger.terminal
  const shell = terminals.use(new CommandShell({ cwd, env }))
  const startedMs = performance.now()
  for (const step of steps) {
    const command = here(step.command)
    const shown = step.shown.map(here)
    if (isSecondTerminal(step)) {
      const last = String(shown.at(-1))
      const standby = terminals.use(await StartedCommand.start(command, last, env, cwd))
      assertShown(standby.said, { command, shown })
    } else assertShown(await shell.run(command), { command, shown })
  }
  const tookMs = performance.now() - startedMs
  t.diagnostic(`${steps.length} steps in ${(tookMs / 1_000).toFixed(1)} s`)
  assert.ok(tookMs < DRILL_MS_MAX)
})
