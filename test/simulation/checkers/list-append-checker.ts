// SPDX-License-Identifier: Apache-2.0
import { type CycleName, DependencyGraph } from './dependency-graph.ts'
import type { ListOperation } from './history.ts'

/** One transaction on lists, by what its client knows of it and nothing else. */
export type ListTransaction = {
  readonly id: number
  readonly outcome: 'committed' | 'rolledBack' | 'unknown'
  readonly operations: readonly ListOperation[]
}

export type AnomalyName =
  | CycleName
  | 'G1a'
  | 'G1b'
  | 'internal'
  | 'duplicate elements'
  | 'incompatible order'
  | 'element from nowhere'
  | 'dirty update'
  | 'lost update'

export type Anomaly = { readonly name: AnomalyName; readonly what: string }

/** What a transaction did to one list, its own appends told from what it found. */
type KeyUse = {
  readonly id: number
  readonly key: string
  /** The list as others left it, when it was read before the own appends or their place is clear. */
  readonly found: readonly number[] | undefined
  readonly appended: readonly number[]
}

/**
 * Checks a history of list appends for snapshot isolation, as Elle does: lists show the order of their
 * writers, so dependencies follow from what was read, and a forbidden history is a cycle in them.
 * Knows nothing of timestamps or of how the database works. Write skew (`G2-item`) is found as well;
 * snapshot isolation allows it, see `isForbidden`.
 */
export function checkListAppends(transactions: readonly ListTransaction[]): Anomaly[] {
  const anomalies: Anomaly[] = []
  const report = (name: AnomalyName, what: string) => anomalies.push({ name, what })
  const writers = writersOf(transactions, report)
  const counted = countedTransactions(transactions, writers)
  const uses = counted.flatMap((transaction) => usesOf(transaction, report))
  for (const use of uses) checkFound(use, writers, report)
  const orders = orderVersions(uses, report)
  checkUpdates(uses, orders, writers, report)
  for (const { name, path } of dependenciesOf(uses, orders, writers).cycles()) report(name, path)
  return anomalies
}

export function isForbidden({ name }: Anomaly): boolean {
  return name !== 'G2-item'
}

type Report = (name: AnomalyName, what: string) => void
type Writer = {
  readonly transaction: ListTransaction
  readonly key: string
  readonly isLast: boolean
}
type Writers = ReadonlyMap<number, Writer>

function writersOf(transactions: readonly ListTransaction[], report: Report): Writers {
  const writers = new Map<number, Writer>()
  for (const transaction of transactions) {
    const appends = transaction.operations.filter((one) => one.kind === 'append')
    for (const [index, { key, element }] of appends.entries()) {
      const isLast = !appends.slice(index + 1).some((later) => later.key === key)
      if (writers.has(element)) report('duplicate elements', `${element} was appended twice`)
      writers.set(element, { transaction, key, isLast })
    }
  }
  return writers
}

/** The committed ones, and those of unknown outcome of which somebody else saw an element. */
function countedTransactions(
  transactions: readonly ListTransaction[],
  writers: Writers,
): ListTransaction[] {
  const seen = new Set<number>()
  for (const { id, outcome, operations } of transactions) {
    if (outcome !== 'committed') continue
    for (const operation of operations) {
      if (operation.kind !== 'read') continue
      for (const element of operation.elements) {
        const writer = writers.get(element)?.transaction.id
        if (writer !== undefined && writer !== id) seen.add(writer)
      }
    }
  }
  return transactions.filter(
    ({ id, outcome }) => outcome === 'committed' || (outcome === 'unknown' && seen.has(id)),
  )
}

/** Follows the transaction's own view of each list; it must not change under its hands (internal). */
function usesOf({ id, operations }: ListTransaction, report: Report): KeyUse[] {
  const uses: KeyUse[] = []
  for (const key of new Set(operations.map((operation) => operation.key))) {
    let found: readonly number[] | undefined
    const appended: number[] = []
    for (const operation of operations) {
      if (operation.key !== key) continue
      if (operation.kind === 'append') {
        appended.push(operation.element)
        continue
      }
      const { elements } = operation
      const ownFrom = elements.length - appended.length
      const endsWithOwn = elements.slice(Math.max(0, ownFrom)).join() === appended.join()
      const before = elements.slice(0, Math.max(0, ownFrom))
      const isSame = found === undefined || found.join() === before.join()
      if (!endsWithOwn || !isSame) {
        report('internal', `T${id} read ${key} as [${elements}] after [${found}] and [${appended}]`)
      }
      found ??= before
    }
    uses.push({ id, key, found, appended })
  }
  return uses
}

function checkFound({ id, key, found = [] }: KeyUse, writers: Writers, report: Report): void {
  if (new Set(found).size < found.length) {
    report('duplicate elements', `T${id} read ${key} as [${found}]`)
  }
  for (const element of found) {
    const writer = writers.get(element)
    if (writer === undefined || writer.key !== key) {
      report('element from nowhere', `T${id} read ${element} in ${key}`)
    } else if (writer.transaction.outcome === 'rolledBack') {
      report('G1a', `T${id} read ${element} of T${writer.transaction.id}, which was rolled back`)
    }
  }
  const last = writers.get(found.at(-1) ?? Number.NaN)
  if (last !== undefined && !last.isLast && last.transaction.id !== id) {
    report(
      'G1b',
      `T${id} read ${found.at(-1)} in ${key}, which T${last.transaction.id} went beyond`,
    )
  }
}

/** The longest view of each list; every other view must be a beginning of it. */
function orderVersions(uses: readonly KeyUse[], report: Report): Map<string, readonly number[]> {
  const orders = new Map<string, readonly number[]>()
  const views = uses.flatMap(({ id, key, found, appended }) =>
    found === undefined ? [] : [{ id, key, list: [...found, ...appended] }],
  )
  for (const { key, list } of views) {
    if (list.length > (orders.get(key)?.length ?? -1)) orders.set(key, list)
  }
  for (const { id, key, list } of views) {
    const order = orders.get(key) ?? []
    const differs = list.some((element, index) => element !== order[index])
    if (differs) report('incompatible order', `T${id} has ${key} as [${list}], others [${order}]`)
  }
  return orders
}

function checkUpdates(
  uses: readonly KeyUse[],
  orders: ReadonlyMap<string, readonly number[]>,
  writers: Writers,
  report: Report,
): void {
  const updatesOf = new Map<string, number>()
  for (const { id, key, found, appended } of uses) {
    if (found === undefined || appended.length === 0) continue
    const version = `${key} after ${found.at(-1) ?? 'nothing'}`
    const other = updatesOf.get(version)
    if (other !== undefined)
      report('lost update', `T${other} and T${id} both appended to ${version}`)
    updatesOf.set(version, id)
  }
  for (const [key, order] of orders) {
    const outcomes = order.map((element) => writers.get(element)?.transaction.outcome)
    const dirty = outcomes.findIndex(
      (outcome, index) => outcome === 'rolledBack' && outcomes[index + 1] === 'committed',
    )
    if (dirty >= 0) report('dirty update', `${key}: ${order[dirty + 1]} was put on ${order[dirty]}`)
  }
}

function dependenciesOf(
  uses: readonly KeyUse[],
  orders: ReadonlyMap<string, readonly number[]>,
  writers: Writers,
): DependencyGraph {
  const graph = new DependencyGraph()
  const writerId = (element: number | undefined) =>
    element === undefined ? undefined : writers.get(element)?.transaction.id
  for (const [key, order] of orders) {
    for (const [index, element] of order.entries()) {
      const [from, to] = [writerId(element), writerId(order[index + 1])]
      if (from !== undefined && to !== undefined) graph.add(from, 'ww', to, key)
    }
  }
  for (const { id, key, found } of uses) {
    if (found === undefined) continue
    const writer = writerId(found.at(-1))
    if (writer !== undefined) graph.add(writer, 'wr', id, key)
    // The next version is of the first later writer; the reader's own is no dependency of it.
    const order = orders.get(key) ?? []
    const next = writerId(order[found.length])
    if (next !== undefined) graph.add(id, 'rw', next, key)
  }
  return graph
}
