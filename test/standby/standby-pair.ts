// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Logger, pino } from 'pino'
import { readConfig } from '../../server/config.ts'
import { loadContract } from '../../server/doors/http/openapi/contract.ts'
import type { FlagName } from '../../server/flags.ts'
import { createServer, type Dependencies, type Server } from '../../server/server.ts'
import { StandbyServer } from '../../server/standby-server.ts'
import { testFolder } from '../test-folder.ts'
import { QueryClient, until } from './query-client.ts'

const contract = loadContract()

type Flags = Partial<Readonly<Record<FlagName, string>>>

/** Two real servers in this process with a folder each, of which one follows the other; both end with the test. */
export class StandbyPair {
  readonly folder: string
  /** What the two have logged. */
  readonly lines: { readonly msg: string }[] = []
  readonly log: Logger
  readonly #flags: Flags
  readonly #deps: Dependencies
  primary: Server | undefined
  standby: StandbyServer | undefined
  former: StandbyServer | undefined
  adminToken = ''
  #promoted: Server | undefined
  #primaryUrl = ''
  #standbyUrl = ''
  #port = 0

  private constructor(folder: string, flags: Flags, deps: Dependencies) {
    this.folder = folder
    this.#flags = flags
    this.#deps = deps
    const write = (line: string) => this.lines.push(JSON.parse(line))
    this.log = pino({ level: 'info' }, { write })
  }

  /** A primary with tokens of an administrator and of a standby, and a table; nobody follows yet. */
  static async open(t: TestContext, flags: Flags = {}, deps: Dependencies = {}) {
    const pair = new StandbyPair(await testFolder(t, 'pair'), flags, deps)
    t.after(() => pair.close())
    await pair.startPrimary()
    const open = new QueryClient(pair.#primaryUrl, '')
    const sql = 'CREATE TOKEN root ROLE admin EXPIRES IN 90 DAYS'
    const { body } = await open.query(sql, { authorization: '' })
    pair.adminToken = body.results[0].rows[0].token
    await pair.at.rows('CREATE ROLE standby; GRANT FOLLOW TO standby')
    const [made] = await pair.at.rows('CREATE TOKEN standby ROLE standby EXPIRES IN 9 DAYS')
    writeFileSync(pair.tokenFile, `${made.token}\n`, { mode: 0o600 })
    await pair.at.rows('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
    return pair
  }

  get tokenFile(): string {
    return join(this.folder, 'token')
  }

  get primaryFolder(): string {
    return join(this.folder, 'primary')
  }

  get standbyFolder(): string {
    return join(this.folder, 'standby')
  }

  get primaryUrl(): string {
    return this.#primaryUrl
  }

  /** The administrator at the primary. */
  get at(): QueryClient {
    return new QueryClient(this.#primaryUrl, this.adminToken)
  }

  /** The same at the standby. */
  get atStandby(): QueryClient {
    return new QueryClient(this.#standbyUrl, this.adminToken)
  }

  /** At the same port as before. */
  async startPrimary(more: Flags = {}): Promise<void> {
    const flags = { data: this.primaryFolder, port: String(this.#port), ...this.#flags, ...more }
    this.primary = await createServer(readConfig(flags), { contract, log: this.log })
    const { url, port } = await this.primary.listen()
    this.#primaryUrl = url
    this.#port = port
  }

  async stopPrimary(): Promise<void> {
    await this.primary?.close()
    this.primary = undefined
  }

  async startStandby(follow = this.#primaryUrl, more: Flags = {}): Promise<void> {
    const data = { data: this.standbyFolder, port: '0', ...this.#flags, ...more }
    const config = readConfig({ ...data, follow, 'token-file': this.tokenFile })
    if (config.follow === undefined) throw new TypeError('it follows nobody')
    const deps = { contract, log: this.log, ...this.#deps }
    this.standby = await StandbyServer.start(config, config.follow, deps)
    this.#standbyUrl = (await this.standby.listen()).url
  }

  /** The folder of the former primary follows the promoted one. */
  async startFormer(follow: string): Promise<QueryClient> {
    const data = { data: this.primaryFolder, port: '0', ...this.#flags }
    const config = readConfig({ ...data, follow, 'token-file': this.tokenFile })
    if (config.follow === undefined) throw new TypeError('it follows nobody')
    this.former = await StandbyServer.start(config, config.follow, { contract, log: this.log })
    return new QueryClient((await this.former.listen()).url, this.adminToken)
  }

  async stopStandby(): Promise<void> {
    await this.standby?.close()
    this.standby = undefined
  }

  /** The folder of the standby, which was promoted, as that of a primary. */
  async startPromoted(more: Flags): Promise<void> {
    const flags = { data: this.standbyFolder, port: '0', ...this.#flags, ...more }
    const promoted = await createServer(readConfig(flags), { contract, log: this.log })
    this.#standbyUrl = (await promoted.listen()).url
    this.#promoted = promoted
  }

  async promoteStandby(): Promise<void> {
    const order = () => this.atStandby.send('/v1/replication/promote', undefined, 'POST')
    // A standby that opens itself again, as its primary has started again, is away for a moment.
    await until(async () => (await order().catch(() => undefined))?.status === 202, 'the order')
    await until(async () => {
      const answer = await this.atStandby.send('/v1/replication').catch(() => undefined)
      return answer?.body.role === 'primary'
    }, 'the promotion')
  }

  /** Until the standby has all that the primary has now. */
  async caughtUp(): Promise<void> {
    const { body } = await this.at.send('/v1/replication')
    await until(async () => {
      const found = await this.atStandby.send('/v1/replication').catch(() => undefined)
      const other = found?.body
      return other?.position?.number >= body.position.number && other.standby?.groupsBehind === 0
    }, 'the standby to catch up')
  }

  async close(): Promise<void> {
    await this.former?.close()
    await this.#promoted?.close()
    await this.stopStandby()
    await this.stopPrimary()
  }
}
