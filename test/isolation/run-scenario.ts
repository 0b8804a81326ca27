// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Answer, TestServer } from '../server/test-server.ts'
import {
  begunFirst,
  dyingIn,
  EVERYTHING,
  FIRST_ROWS,
  type Name,
  namesOf,
  type Scenario,
  type Step,
  TABLE,
} from './scenario.ts'
import type { Topology } from './topologies.ts'
import type { World } from './world.ts'

/** Runs the scenario over HTTP and compares every answer. A failure shows the history up to there. */
export async function runScenario(
  t: TestContext,
  scenario: Scenario,
  topology: Topology,
): Promise<void> {
  const world = await topology.start(t, namesOf(scenario))
  await new ScenarioRun(scenario, topology, world).run()
}

class ScenarioRun {
  readonly #scenario: Scenario
  readonly #world: World
  /** Whose gateway dies. */
  readonly #dying: Name | undefined
  /** Whether it dies before its commit point, so that the other course of the scenario holds. */
  readonly #vanishes: boolean
  readonly #expiresLocks: boolean
  readonly #ids = new Map<Name, string>()
  readonly #history: string[] = []

  constructor(scenario: Scenario, { death }: Topology, world: World) {
    this.#scenario = scenario
    this.#world = world
    this.#dying = death === undefined ? undefined : dyingIn(scenario)
    this.#vanishes = this.#dying !== undefined && death !== 'committed'
    this.#expiresLocks = death !== undefined
  }

  async run(): Promise<void> {
    const [anyone] = this.#world.living()
    assert.ok(anyone !== undefined)
    await this.#world.settled(anyone.rows(TABLE))
    await this.#world.settled(anyone.rows(FIRST_ROWS))
    for (const name of begunFirst(this.#scenario)) await this.#begin(name)
    for (const step of this.#scenario.steps) await this.#take(step)
    await this.#checkTheEnd()
  }

  async #take([name, statement, expected, afterDeath]: Step): Promise<void> {
    if (statement === 'BEGIN') return this.#begin(name)
    if (statement === 'COMMIT' && name === this.#dying) return this.#die(name)
    const server = this.#world.serverOf(name)
    const path = `/v1/transactions/${this.#ids.get(name)}/query`
    const answer = await this.#world.settled(server.post(path, { sql: statement }))
    const given = statement === 'COMMIT' ? commitText(answer) : answerText(answer)
    const wanted = (this.#vanishes ? afterDeath : undefined) ?? expected
    this.#compare(`${name}  ${statement}`, given, wanted)
  }

  async #begin(name: Name): Promise<void> {
    this.#ids.set(name, await this.#world.settled(this.#world.serverOf(name).begin()))
    this.#history.push(`${name}  BEGIN`)
  }

  async #die(name: Name): Promise<void> {
    const path = `/v1/transactions/${this.#ids.get(name)}/commit`
    const server = this.#world.serverOf(name)
    await this.#world.dieDuring(name, this.#ids.get(name) ?? '', () => server.post(path))
    this.#history.push(`${name}  COMMIT, in which its gateway dies`)
  }

  async #checkTheEnd(): Promise<void> {
    const [final, afterDeath = final] = this.#scenario.final
    const wanted = this.#vanishes ? afterDeath : final
    for (const server of this.#world.living()) {
      const answer = await this.#world.settled(server.query(EVERYTHING))
      this.#compare('all rows in the end', answerText(answer), wanted)
      if (this.#dying !== undefined) await this.#checkOutcome(server, this.#dying)
    }
    if (this.#expiresLocks) await this.#checkNoLocks()
  }

  /** Any gateway tells what became of the transaction whose commit was never answered. */
  async #checkOutcome(server: TestServer, dying: Name): Promise<void> {
    const answer = await this.#world.settled(server.get(`/v1/transactions/${this.#ids.get(dying)}`))
    const wanted = this.#vanishes ? 'rolledBack' : 'committed'
    this.#compare(`the outcome of ${dying}`, String(answer.body.status), wanted)
  }

  async #checkNoLocks(): Promise<void> {
    await this.#world.collectGarbage()
    const [server] = this.#world.living()
    const answer = await this.#world.settled((server as TestServer).get('/v1/locks'))
    this.#compare('locks that are left', JSON.stringify(answer.body.locks), '[]')
  }

  #compare(what: string, given: string, wanted: string | undefined): void {
    this.#history.push(`${what}  →  ${given}`)
    const isRight = wanted === undefined ? !given.startsWith('error') : given === wanted
    const expectation = `in the last line, expected ${wanted ?? 'success'}`
    assert.ok(isRight, `${this.#scenario.name}\n${this.#history.join('\n')}\n${expectation}`)
  }
}

function commitText(answer: Answer): string {
  if (answer.status === 200) return 'OK'
  return answer.body?.code === 'write_conflict' ? 'CONFLICT' : errorText(answer)
}

function answerText(answer: Answer): string {
  if (answer.status !== 200) return errorText(answer)
  const rows = answer.body.results.at(-1).rows as Array<{ id: number; value: number }>
  return rows.map(({ id, value }) => `${id}=${value}`).join(' ') || 'nothing'
}

function errorText({ status, text }: Answer): string {
  return `error ${status} ${text.trim()}`
}
