// SPDX-License-Identifier: Apache-2.0
import type { BrokerMode, Counted, RunFacts } from '../run-facts.ts'

/** Keeps what the driver saw of all runs on one store, for the checks to compare with. */
export class RunLedger {
  readonly #brokerMode: BrokerMode
  readonly #tickerVolume = new Map<string, Counted>()
  readonly #forcedRollbacks: number[] = []
  #results: Counted = { acknowledged: 0, ambiguous: 0 }
  #isCleanedUp = true

  constructor(brokerMode: BrokerMode) {
    this.#brokerMode = brokerMode
  }

  get facts(): RunFacts {
    return {
      brokerMode: this.#brokerMode,
      tradeResults: this.#results,
      tickerVolume: this.#tickerVolume,
      forcedRollbacks: this.#forcedRollbacks,
      isCleanedUp: this.#isCleanedUp,
    }
  }

  cleanedUp(): void {
    this.#isCleanedUp = true
  }

  /** From now on orders may be open. */
  ordersBegin(): void {
    this.#isCleanedUp = false
  }

  rolledBack(tradeId: number): void {
    this.#forcedRollbacks.push(tradeId)
  }

  tradeResult(certainty: keyof Counted): void {
    this.#results = plus(this.#results, certainty, 1)
  }

  tickerVolume(symbol: string, quantity: number, certainty: keyof Counted): void {
    const before = this.#tickerVolume.get(symbol) ?? { acknowledged: 0, ambiguous: 0 }
    this.#tickerVolume.set(symbol, plus(before, certainty, quantity))
  }
}

function plus(counted: Counted, certainty: keyof Counted, amount: number): Counted {
  return { ...counted, [certainty]: counted[certainty] + amount }
}
