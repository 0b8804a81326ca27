// SPDX-License-Identifier: Apache-2.0
import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Storage } from '../../../storage/storage.ts'
import { type RelayStatus, readRelayStatus } from '../../live/relays/relay-status.ts'
import type { Relays } from '../../live/relays/relays.ts'
import { LastAnswer } from './last-answer.ts'

type RelaysRead = { readonly statuses: readonly RelayStatus[]; readonly retentionMs: number }

const NOTHING_READ: RelaysRead = { statuses: [], retentionMs: 1 }

/** How far relays have come, and what this process has sent. */
export class RelayMetrics {
  readonly #read: LastAnswer<RelaysRead>
  readonly #relays: Pick<Relays, 'counts'>
  readonly #lag: Gauge<'relay'>
  readonly #retained: Gauge<'relay'>
  readonly #stopped: Gauge<'relay'>
  readonly #messages: Counter<'relay' | 'outcome'>

  constructor(registry: Registry, storage: Storage, relays: Pick<Relays, 'counts'>) {
    this.#read = new LastAnswer(storage, () => readRelays(storage))
    this.#relays = relays
    const described = { labelNames: ['relay' as const], registers: [registry] }
    this.#lag = new Gauge({
      name: 'percolite_relay_lag_seconds',
      help: 'How old what the receiver has is; 0 where it has everything.',
      ...described,
    })
    this.#retained = new Gauge({
      name: 'percolite_relay_retention_ratio',
      help: 'Its lag as a part of the retention: at 1 what it has to send next may be collected.',
      ...described,
    })
    this.#stopped = new Gauge({
      name: 'percolite_relay_stopped',
      help: '1 while it sends nothing until it is resumed, paused or not.',
      ...described,
    })
    this.#messages = new Counter({
      name: 'percolite_relay_messages_total',
      help: 'Messages that this server has sent, by what became of them.',
      labelNames: ['relay', 'outcome'],
      registers: [registry],
    })
  }

  async collect(): Promise<void> {
    const { statuses, retentionMs } = (await this.#read.get()) ?? NOTHING_READ
    this.#lag.reset()
    this.#retained.reset()
    this.#stopped.reset()
    this.#messages.reset()
    for (const { relay, lagMs, state } of statuses) {
      this.#lag.set({ relay }, lagMs / 1_000)
      this.#retained.set({ relay }, lagMs / retentionMs)
      this.#stopped.set({ relay }, state === 'stopped' || state === 'paused' ? 1 : 0)
    }
    for (const [relay, { taken, failed }] of this.#relays.counts) {
      if (!statuses.some((status) => status.relay === relay)) continue
      this.#messages.inc({ relay, outcome: 'taken' }, taken)
      this.#messages.inc({ relay, outcome: 'failed' }, failed)
    }
  }
}

async function readRelays(storage: Storage): Promise<RelaysRead> {
  const { retentionMs } = await storage.retention.read()
  return { statuses: await readRelayStatus(storage), retentionMs }
}
