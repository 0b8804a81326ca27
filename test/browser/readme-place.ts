// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../bench/servers/child-server.ts'
import { type ReadmeBlock, withoutStamps } from '../readme-blocks.ts'
import type { CommandShell } from './command-shell.ts'
import { StartedCommand } from './started-command.ts'

/** Tokens of the application live so long that a test sees them end. */
const TOKEN_SECONDS = 10

/** The README's commands at other ports and in another folder than it says. */
export class ReadmePlace {
  readonly #folder: string
  readonly #serverPort: number
  readonly #pagePort: number

  private constructor(
    folder: string,
    { serverPort, pagePort }: { readonly serverPort: number; readonly pagePort: number },
  ) {
    this.#folder = folder
    this.#serverPort = serverPort
    this.#pagePort = pagePort
  }

  static async create(cleaning: AsyncDisposableStack): Promise<ReadmePlace> {
    const folder = await mkdtemp(join(tmpdir(), 'percolite-page-'))
    cleaning.defer(() => rm(folder, { recursive: true, force: true }))
    const [serverPort, pagePort] = (await freePorts(2)) as [number, number]
    return new ReadmePlace(folder, { serverPort, pagePort })
  }

  get pageOrigin(): string {
    return `https://localhost:${this.#pagePort}`
  }

  get databaseOrigin(): string {
    return `https://localhost:${this.#serverPort}`
  }

  /** Runs the commands, and compares what they print with what the README says. */
  async run(shell: CommandShell, block: ReadmeBlock | undefined): Promise<void> {
    assert.equal(block?.kind, 'sh')
    const printed = await shell.run(this.#here(block.commands))
    assert.equal(withoutStamps(printed), withoutStamps(block.output ?? ''), block.commands)
  }

  async startServer(block: ReadmeBlock | undefined): Promise<StartedCommand> {
    assert.match(block?.commands ?? '', /^npm start/)
    return await this.#start(block, '')
  }

  async startApplication(block: ReadmeBlock | undefined): Promise<StartedCommand> {
    assert.match(block?.commands ?? '', /^npm run example:notes/)
    const flags = `--folder demo --port 8443 --database https://localhost:4270`
    return await this.#start(block, ` -- ${flags} --token-seconds ${TOKEN_SECONDS}`)
  }

  async #start(block: ReadmeBlock | undefined, flags: string): Promise<StartedCommand> {
    const { commands = '', output = '' } = block ?? {}
    // The README shortens what stands on its last line.
    const [prints = ''] = this.#here(output).trim().split('\n')
    const env = {
      PERCOLITE_PORT: `${this.#serverPort}`,
      PERCOLITE_DATA: join(this.#folder, 'data'),
    }
    return await StartedCommand.start(this.#here(`${commands.trim()}${flags}`), prints, env)
  }

  #here(text: string): string {
    return text
      .replaceAll(/(localhost|127\.0\.0\.1):4270/g, `$1:${this.#serverPort}`)
      .replaceAll('localhost:8443', `localhost:${this.#pagePort}`)
      .replaceAll('--port 8443', `--port ${this.#pagePort}`)
      .replaceAll('./data', join(this.#folder, 'data'))
      .replaceAll(/\bdemo\b/g, join(this.#folder, 'demo'))
  }
}
