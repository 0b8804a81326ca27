// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { SharedEngine } from '../../bench/engines/shared-engine.ts'
import type { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'

/** Beyond every expiry: tokens live 2 s, locks 3. */
const PAUSE_MS = 6_000
const AWAY_MS_MAX = 1_500

/** Server processes over one store, which are killed, paused and come back. */
export class GatewaySet {
  readonly #engine: Pick<SharedEngine, 'flags' | 'env'>
  readonly #flags: readonly string[]
  /** A module that each of them loads first. */
  readonly #preloaded: { readonly preloaded?: string }
  readonly #env: Readonly<Record<string, string>>
  readonly #random: SeededRandomness
  #gateways: ServerProcess[] = []
  #lastUrl = ''
  #started = 0

  constructor(
    engine: Pick<SharedEngine, 'flags' | 'env'>,
    options: {
      readonly random: SeededRandomness
      readonly flags?: readonly string[]
      readonly preloaded?: string | undefined
      /** What it reads. */
      readonly env?: Readonly<Record<string, string>>
    },
  ) {
    const { preloaded } = options
    this.#engine = engine
    this.#random = options.random
    this.#flags = options.flags ?? []
    this.#preloaded = preloaded === undefined ? {} : { preloaded }
    this.#env = options.env ?? {}
  }

  async start(count: number): Promise<void> {
    for (let at = 0; at < count; at++) await this.add()
  }

  /** One that is running, or that seems to be; the last one that was while none is. */
  any(): string {
    return this.#gateways[this.#random.below(this.#gateways.length)]?.url ?? this.#lastUrl
  }

  get urls(): readonly string[] {
    return this.#gateways.map(({ url }) => url)
  }

  /** Kills or pauses one of them, and resolves when it is back; says what was done. */
  async disturb(): Promise<string> {
    const at = this.#random.below(this.#gateways.length)
    const victim = this.#gateways[at] as ServerProcess
    if (this.#random.below(2) === 0) {
      victim.signal('SIGSTOP')
      await delay(PAUSE_MS)
      victim.signal('SIGCONT')
      return 'a gateway was paused for 6 s'
    }
    await this.kill(at)
    await delay(this.#random.below(AWAY_MS_MAX))
    this.#gateways.splice(at, 0, await this.#startOne())
    return 'a gateway was killed'
  }

  /** One more, behind the others. */
  async add(): Promise<void> {
    this.#gateways.push(await this.#startOne())
  }

  /** Takes it out of the set. */
  async kill(at: number): Promise<void> {
    const [victim] = this.#gateways.splice(at, 1)
    await victim?.killNine()
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#gateways.map(async (gateway) => {
        gateway.signal('SIGCONT')
        await gateway.killNine()
      }),
    )
  }

  /** The exit codes of all of them after SIGTERM. */
  async stop(): Promise<Array<number | null>> {
    const codes = await Promise.all(this.#gateways.map((gateway) => gateway.stop()))
    this.#gateways = []
    return codes
  }

  async #startOne(): Promise<ServerProcess> {
    this.#started += 1
    const seed = { LOSSY_SEED: String(this.#random.below(2 ** 31)) }
    const started = await ServerProcess.start(undefined, [...this.#engine.flags, ...this.#flags], {
      ...this.#preloaded,
      env: { ...this.#engine.env, ...seed, ...this.#env },
    })
    this.#lastUrl = started.url
    return started
  }
}
