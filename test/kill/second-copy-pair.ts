// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { exitCode, run } from '../cli/run-command.ts'
import { vacantUrl } from '../client-sdk/refusing-server.ts'
import { ServerProcess } from '../server/server-process.ts'
import { QueryClient, until } from '../standby/query-client.ts'
import { testFolder } from '../test-folder.ts'

const OBSERVERS = fileURLToPath(new URL('../standby/counting-observer.ts', import.meta.url))

/** A place of a server: it has the same address and folder whatever its part is. */
export type Place = { readonly url: string; readonly folder: string; server?: ServerProcess }

/** Two places of one store, of which one takes writes and the other follows; they may change parts. */
export class SecondCopyPair {
  readonly #t: TestContext
  readonly #flags: readonly string[]
  readonly #folder: string
  primary: Place
  standby: Place
  token = ''

  private constructor(t: TestContext, folder: string, mode: string, urls: readonly string[]) {
    const [one, two] = urls as [string, string]
    this.#t = t
    this.#flags = ['--observers', OBSERVERS, '--second-copy', mode]
    this.#folder = folder
    this.primary = { url: one, folder: join(folder, 'one') }
    this.standby = { url: two, folder: join(folder, 'two') }
    t.after(async () => {
      await this.standby.server?.killNine()
      await this.primary.server?.killNine()
    })
  }

  /** Both serve. The tables were made before a second copy was demanded, as nobody could follow without a token. */
  static async open(
    t: TestContext,
    mode: 'required' | 'preferred',
    definitions: readonly string[],
  ): Promise<SecondCopyPair> {
    const urls = [await vacantUrl(), await vacantUrl()]
    const pair = new SecondCopyPair(t, await testFolder(t, 'second-copy'), mode, urls)
    pair.primary.server = await ServerProcess.start(pair.primary.folder, [
      ...portOf(pair.primary),
      ...['--observers', OBSERVERS],
    ])
    const open = new QueryClient(pair.primary.url, '')
    const sql = 'CREATE TOKEN root ROLE admin EXPIRES IN 90 DAYS'
    const { body } = await open.query(sql, { authorization: '' })
    pair.token = body.results[0].rows[0].token
    await pair.at.rows('CREATE ROLE standby; GRANT FOLLOW TO standby')
    const [made] = await pair.at.rows('CREATE TOKEN standby ROLE standby EXPIRES IN 9 DAYS')
    writeFileSync(pair.#tokenFile, made.token, { mode: 0o600 })
    for (const definition of definitions) await pair.at.rows(definition)
    assert.equal(await pair.primary.server.stop(), 0)
    await pair.startPrimary()
    await pair.startStandby()
    await pair.takesWrites()
    return pair
  }

  get #tokenFile(): string {
    return join(this.#folder, 'token')
  }

  get at(): QueryClient {
    return new QueryClient(this.primary.url, this.token)
  }

  get atStandby(): QueryClient {
    return new QueryClient(this.standby.url, this.token)
  }

  async startPrimary(): Promise<void> {
    const flags = [...portOf(this.primary), ...this.#flags]
    this.primary.server = await ServerProcess.start(this.primary.folder, flags)
  }

  get followFlags(): readonly string[] {
    const follow = ['--follow', this.primary.url, '--token-file', this.#tokenFile]
    return [...portOf(this.standby), ...this.#flags, ...follow]
  }

  async startStandby(): Promise<void> {
    this.standby.server = await ServerProcess.start(this.standby.folder, this.followFlags)
  }

  /** The primary has been killed: the standby takes its place, while it runs, or where its folder lies. */
  async promote(how: 'running' | 'stopped' | 'killed'): Promise<void> {
    const { standby } = this
    if (how === 'running') {
      const { status } = await this.atStandby.send('/v1/replication/promote', undefined, 'POST')
      assert.ok(status < 300, `promoted: ${status}`)
    } else {
      if (how === 'killed') await standby.server?.killNine()
      else assert.equal(await standby.server?.stop(), 0)
      const promoted = run(this.#t, 'promote', '--data', standby.folder)
      assert.equal(await exitCode(promoted), 0, promoted.errors())
    }
    this.standby = this.primary
    this.primary = standby
    if (how !== 'running') await this.startPrimary()
    await until(async () => {
      const found = await this.at.send('/v1/replication').catch(() => undefined)
      return found?.body.role === 'primary'
    }, 'the standby to be the primary')
  }

  /** The former primary starts as one, is told that it was replaced, and shows nothing; its folder may follow then. */
  async startReplaced(): Promise<void> {
    const former = this.standby
    const flags = [...portOf(former), ...this.#flags]
    former.server = await ServerProcess.start(former.folder, flags)
    await until(async () => {
      const { status, body } = await this.atStandby.query('SCAN n FROM head')
      assert.equal(status, 503, `a replaced server has answered: ${JSON.stringify(body)}`)
      return body.code === 'superseded'
    }, 'the former primary to be told')
    assert.equal(await former.server.stop(), 0)
  }

  /** Whether the folder went on where it was. */
  get saidOfStandby(): string {
    const said = this.standby.server?.said ?? ''
    return said.includes('copying the store') ? 'copied' : 'went on'
  }

  /** Until nothing waits for a second copy: the standby follows, and has what the primary had. */
  async takesWrites(): Promise<void> {
    await until(async () => {
      const { status } = await this.at.query('SET n = 0 ON head WHERE writer = -1')
      return status === 200
    }, 'the primary to take writes')
  }
}

function portOf({ url }: Place): readonly string[] {
  return ['--port', new URL(url).port]
}
