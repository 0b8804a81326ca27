// SPDX-License-Identifier: Apache-2.0
import type { Counted, RunFacts } from '../run-facts.ts'

const NOTHING: Counted = { acknowledged: 0, ambiguous: 0 }

/** Keeps what the driver saw of all runs on one store, for the checks to compare with. */
export class RunLedger implements RunFacts {
  readonly tickerVolume = new Map<string, Counted>()
  readonly forcedRollbacks: number[] = []
  tradeResults = NOTHING
  isCleanedUp = true

  addTradeResult(certainty: keyof Counted): void {
    this.tradeResults = plus(this.tradeResults, certainty, 1)
  }

  addTickerVolume(symbol: string, quantity: number, certainty: keyof Counted): void {
    const before = this.tickerVolume.get(symbol) ?? NOTHING
    this.tickerVolume.set(symbol, plus(before, certainty, quantity))
  }
}

function plus(counted: Counted, certainty: keyof Counted, amount: number): Counted {
  return { ...counted, [certainty]: counted[certainty] + amount }
}
