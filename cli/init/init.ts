// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { UsageError } from '../../server/usage-error.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from '../command.ts'
import { writeApp } from './app-folder.ts'
import { installPackages } from './install-packages.ts'

const TEMPLATES = ['tasks', 'board', 'auction']

export const INIT: Command = {
  name: 'init',
  summary: 'make the folder of an app with a live page',
  usage: ['<folder> [--template tasks|board|auction] [--packages DIR] [--no-install]'],
  details: [
    'Makes the folder of an app: a page in React whose rows are live, sign-in, migrations, types and tests, and',
    'installs its packages. tasks is a list of which each user sees their own, board a shared board with edits that',
    'show at once, auction has lots that close by themselves. Exit code 0: done, 1: npm could not install the packages.',
  ],
  flags: {
    template: { kind: 'choice', choices: TEMPLATES, default: 'tasks', meaning: 'which app' },
    packages: {
      kind: 'file',
      default: '',
      meaning: 'folder with both packages as npm pack makes them, in place of the registry',
    },
    'no-install': { kind: 'switch', default: 'false', meaning: 'leave npm install to you' },
  },
  fromEnvironment: [],
  wordsMax: 1,
  run,
}

async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const [given] = call.words
  if (given === undefined)
    throw new UsageError('It needs the folder to make: percolite init my-app.')
  const folder = resolve(given)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new UsageError(
      `${given} is not empty. Nothing was changed: name a folder that is not there.`,
    )
  }
  const packages = call.given('packages')
  writeApp(folder, { name: nameOf(folder), template: call.text('template'), packages })
  output.write(`made ${given}: ${readdirSync(folder).sort().join(', ')}\n`)
  if (!call.isOn('no-install')) {
    const problem = await installPackages(folder)
    if (problem !== undefined) {
      const until = packages === undefined ? ' Before they are published, see --packages.' : ''
      errors.write(`percolite: ${problem} Run npm install in ${given} again.${until}\n`)
      return EXIT.failed
    }
  }
  const install = call.isOn('no-install') ? ['npm install'] : []
  for (const line of [`cd ${given}`, ...install, 'npm run dev', 'npm test'])
    output.write(`  ${line}\n`)
  return EXIT.done
}

/** The name of a package that is nearest to that of its folder. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
  return name.replace(/^[._-]+/, '').slice(0, 100) || 'app'
}
